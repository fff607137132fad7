import ReorderEngine
import ReorderJSON

/// The body of a move.
struct MoveBody {
    private var task: TaskID?
    private var tasks: [TaskID]?
    private var fromRow: Int?
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
        case "task": task = try reader.readReference()
        case "tasks": tasks = try Self.readTasks(from: &reader)
        case "fromRow": fromRow = try reader.readCount()
        case "toRow": toRow = try reader.readCount()
        case "toList": toList = try reader.readReference()
        default: return try destination.read(name, from: &reader)
        }
        return true
    }

    /// The request from the members that were read; `reader` is at the end of the object.
    func request(_ reader: borrowing JSONReader) throws(JSONTypeError) -> MoveRequest {
        let subject: MoveRequest.Subject
        switch (task, tasks, fromRow) {
        case (let task?, nil, nil): subject = .task(task)
        case (nil, let tasks?, nil): subject = .tasks(tasks)
        case (nil, nil, let row?): subject = .row(row)
        default: throw reader.invalid("A move needs exactly one of task, tasks and fromRow.")
        }
        switch (toRow, destination.destination) {
        case (let row?, nil):
            guard fromRow != nil else { throw reader.invalid("toRow needs fromRow.") }
            return MoveRequest(subject, to: Destination(row: row))
        case (nil, let destination?): return MoveRequest(subject, to: destination)
        case (nil, nil) where toList != nil:
            return MoveRequest(subject, to: Destination(place: .init(.section(nil))))
        case (.some, .some):
            throw reader.invalid("toRow can't be combined with another destination.")
        case (nil, nil):
            throw reader.invalid(
                "A move needs a destination: after, before, parent, section, position, toRow or "
                    + "toList.")
        }
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
