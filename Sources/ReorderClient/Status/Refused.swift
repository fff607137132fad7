import ReorderEngine
import ReorderJSON

/// An operation that was applied on this device, refused by the server, and then undone here.
public struct Refused: Sendable, Equatable, Identifiable {
    let operation: PendingOperation
    let problem: ServerProblem

    /// The operation's id, which is unique.
    public var id: String { operation.id }
    /// The tasks that the operation named; tasks that it created are removed again.
    public var tasks: [TaskID] { operation.command.tasks }
    /// The error code of the server's problem document: `locked`, `anchor_gone`, `task_not_found`,
    /// …
    public var code: String { problem.code }
    /// The reason for a person: one sentence in English.
    public var detail: String { problem.detail }

    /// The step that the operation is a part of, or the operation itself.
    var step: Substring { operation.step ?? operation.id[...] }
    /// Whether an id is in use in another list. If the list itself has it, somebody has brought the task back.
    var isTakenElsewhere: Bool { code == Refusal.idTaken("").code && problem.version == nil }

    init(_ operation: PendingOperation, _ problem: ServerProblem) {
        self.operation = operation
        self.problem = problem
    }

    /// Reads a refusal from the outbox.
    init(json: [UInt8]) throws {
        var reader = try JSONReader(answer: json)
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
