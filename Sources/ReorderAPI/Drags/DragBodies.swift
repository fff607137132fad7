import ReorderEngine
import ReorderJSON
import ReorderService

/// The body of a request that begins a drag: `{"task": …}`, or `{"tasks": […]}` for a block.
struct LiftBody {
    let tasks: [TaskID]
    let isBlock: Bool

    /// The maximum number of tasks in a drag. There is a limit because each event of the drag
    /// contains the ids of all its tasks.
    static let maximumTasks = 100

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var task: TaskID?
        var tasks: [TaskID]?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "task": task = try reader.readReference()
            case "tasks":
                let named = try MoveBody.readTasks(from: &reader)
                guard named.count <= Self.maximumTasks else {
                    throw reader.invalid("A drag must have at most \(Self.maximumTasks) tasks.")
                }
                tasks = named
            default: throw reader.unknownMember()
            }
        }
        switch (task, tasks) {
        case (let task?, nil): (self.tasks, isBlock) = ([task], false)
        case (nil, let tasks?): (self.tasks, isBlock) = (tasks, true)
        default: throw reader.invalid("A drag needs exactly one of task and tasks.")
        }
    }
}

/// The place where a drag hovers or is dropped: a destination as in a move, or a visible row.
struct DragTargetBody {
    let target: DragTarget

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var place = DestinationMembers()
        var row: Int?
        var list: String?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "toRow": row = try reader.readCount()
            case "toList": list = try reader.readReference()
            default: guard try place.read(name, from: &reader) else { throw reader.unknownMember() }
            }
        }
        switch (row, place.destination) {
        case (let row?, nil): target = DragTarget(Destination(row: row), list: list)
        case (nil, let destination?): target = DragTarget(destination, list: list)
        case (nil, nil) where list != nil:
            target = DragTarget(Destination(place: .init(.section(nil))), list: list)
        case (.some, .some):
            throw reader.invalid("toRow can't be combined with another destination.")
        case (nil, nil):
            throw reader.invalid(
                "A drag needs a destination: after, before, parent, section, position, toRow or toList."
            )
        }
    }
}
