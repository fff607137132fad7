import ReorderEngine
import ReorderJSON

/// A refusal that nobody was told of yet.
struct WaitingRefusal: Sendable, Equatable {
    let operation: PendingOperation
    let problem: ServerProblem

    init(_ operation: PendingOperation, _ problem: ServerProblem) {
        self.operation = operation
        self.problem = problem
    }

    /// Reads what the journal kept.
    init(json: [UInt8]) throws {
        var reader = JSONReader(try JSONText(checking: json, maximumDepth: 24))
        var operation: PendingOperation?
        var problem = ServerProblem(code: "", detail: "")
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "operation": operation = try PendingOperation(json: Array(reader.readRaw().utf8))
            case "code": problem.code = try reader.readString()
            case "detail": problem.detail = try reader.readString()
            default: throw reader.unknownMember()
            }
        }
        guard let operation else { throw reader.missingMember("operation") }
        self.init(operation, problem)
    }

    /// As the journal keeps it.
    func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("operation")
        writer.operation(operation)
        writer.name("code")
        writer.string(problem.code)
        writer.name("detail")
        writer.string(problem.detail)
        writer.endObject()
        return writer.bytes
    }
}

extension SyncMachine {
    /// How many refusals are kept until somebody is told; beyond that the oldest are dropped.
    static let mostRefusals = 10_000

    /// The refusals that nobody was told of yet, with the tasks' places as they are now.
    var waitingRefusals: [Refused] {
        guard let model else { return [] }
        return refusals.map { Refused($0.operation.intent, $0.problem, in: model.displayed) }
    }
}
