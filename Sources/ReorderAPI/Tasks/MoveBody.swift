import ReorderEngine
import ReorderJSON

/// The body of a move.
struct MoveBody {
    private var subject: MoveRequest.Subject? { didSet { subjectCount += 1 } }
    private var subjectCount = 0
    private var toRow: Int?
    private var destination = DestinationMembers()
    /// The list that the tasks move into.
    private(set) var toList: String?

    init() {}

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        try reader.beginObject()
        while let name = reader.nextMember() {
            guard try read(name, from: &reader) else { throw reader.unknownMember() }
        }
    }

    /// Reads a member if it is part of a move.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        switch name {
        case "task": subject = .task(try reader.readReference())
        case "tasks": subject = .tasks(try Self.readTasks(from: &reader))
        case "fromRow": subject = .row(try reader.readCount())
        case "toRow": toRow = try reader.readCount()
        case "toList": toList = try reader.readReference()
        default: return try destination.read(name, from: &reader)
        }
        return true
    }

    /// The request from the members that were read; `reader` is at the end of the object.
    func request(_ reader: borrowing JSONReader) throws(JSONTypeError) -> MoveRequest {
        guard let subject, subjectCount == 1 else {
            throw reader.invalid("A move needs exactly one of task, tasks and fromRow.")
        }
        let destination = destination.destination
        if let toRow {
            guard destination == nil else {
                throw reader.invalid("toRow can't be combined with another destination.")
            }
            guard case .row = subject else { throw reader.invalid("toRow needs fromRow.") }
            return MoveRequest(subject, to: Destination(row: toRow))
        }
        if let destination { return MoveRequest(subject, to: destination) }
        guard toList != nil else {
            throw reader.invalid(
                "A move needs a destination: after, before, parent, section, position, toRow or "
                    + "toList.")
        }
        return MoveRequest(subject, to: Destination(place: .init(.section(nil))))
    }

    static func readTasks(from reader: inout JSONReader) throws(JSONTypeError) -> [TaskID] {
        var tasks: [TaskID] = []
        var seen: Set<TaskID> = []
        try reader.beginArray()
        while reader.nextElement() {
            let task = try reader.readReference()
            guard seen.insert(task).inserted else {
                throw reader.invalid("A task must not be named twice.")
            }
            tasks.append(task)
        }
        guard !tasks.isEmpty else { throw reader.invalid("At least one task must be named.") }
        return tasks
    }
}
