import ReorderEngine
import ReorderJSON

/// A refusal that the app has not acknowledged yet.
struct UnacknowledgedRefusal: Sendable, Equatable {
    let operation: PendingOperation
    let problem: ServerProblem

    init(_ operation: PendingOperation, _ problem: ServerProblem) {
        self.operation = operation
        self.problem = problem
    }

    /// Reads a refusal from the outbox.
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

    /// The form for the outbox.
    func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("operation")
        writer.command(operation.command, opID: operation.id)
        writer.name("code")
        writer.string(problem.code)
        writer.name("detail")
        writer.string(problem.detail)
        writer.endObject()
        return writer.bytes
    }
}

extension SyncMachine {
    /// The maximum number of unacknowledged refusals; beyond it the oldest are dropped.
    static let maximumRefusals = 10_000

    /// The unacknowledged refusals, with the current placements of their tasks.
    var unacknowledgedRefusals: [Refused] { refused(refusals) }

    func refused(_ refusals: some Sequence<UnacknowledgedRefusal>) -> [Refused] {
        guard let shown else { return [] }
        return refusals.map { Refused($0.operation, $0.problem, in: shown) }
    }
}
