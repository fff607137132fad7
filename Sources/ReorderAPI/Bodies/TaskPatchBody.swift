import ReorderJSON
import ReorderService

/// The merge patch of a task. Only `data` can be null, because the other members can't be removed.
struct TaskPatchBody {
    let patch: TaskPatch

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var patch = TaskPatch()
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "title": patch.title = try reader.readTitle()
            case "done": patch.done = try reader.readBool()
            case "locked": patch.locked = try reader.readBool()
            case "data": patch.data = try reader.readData() ?? "null"
            default: throw reader.unknownMember(allowed: ["title", "done", "locked", "data"])
            }
        }
        self.patch = patch
    }
}
