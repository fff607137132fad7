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
                let named = try reader.readTasks()
                guard named.count <= Self.maximumTasks else {
                    throw reader.invalid("A drag must have at most \(Self.maximumTasks) tasks.")
                }
                tasks = named
            default: throw reader.unknownMember(allowed: ["task", "tasks"])
            }
        }
        switch (task, tasks) {
        case (let task?, nil): (self.tasks, isBlock) = ([task], false)
        case (nil, let tasks?): (self.tasks, isBlock) = (tasks, true)
        default: throw reader.invalid("A drag needs exactly one of task and tasks.")
        }
    }
}

/// The place where a drag hovers or is dropped: a destination as in a move.
struct DragTargetBody {
    let target: DragTarget

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var place = DestinationForm()
        var other = OtherListMembers()
        try reader.readObject(
            allowed: DestinationForm.members + DestinationForm.rowMembers
                + OtherListMembers.members
        ) { name, reader throws(JSONTypeError) in
            if try place.read(name, from: &reader) { return true }
            return try other.read(name, from: &reader)
        }
        let destination = try place.destination(
            reader, of: "drag", isToList: other.toList != nil)
        // The dragged tasks are named by ids.
        let versions = try other.rowVersions(
            of: MoveRequest(.tasks([]), to: destination), reader)
        target = DragTarget(destination, list: other.toList, versions ?? RowVersions())
    }
}
