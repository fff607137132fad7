import ReorderEngine
import ReorderJSON

/// The merge patch of a list. Only its limits can be removed, with null.
struct SettingsBody {
    static let members: [StaticString] = [
        "title", "elementsOffset", "collapseSubElements", "moves", "maxDepth",
        "maxTasksPerSection", "tasksPerParent",
    ]

    let update: SettingsUpdate

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var update = SettingsUpdate()
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "title": update.title = try reader.readTitle()
            case "elementsOffset": update.elementsOffset = try reader.readCount()
            case "collapseSubElements": update.collapseSubElements = try reader.readBool()
            case "moves": update.moves = try reader.readCase(of: MovePolicy.self)
            case "maxDepth": update.maxDepth = LimitUpdate(try reader.readMaxDepth())
            case "maxTasksPerSection":
                update.maxTasksPerSection = LimitUpdate(try reader.readLimit())
            case "tasksPerParent": update.tasksPerParent = LimitUpdate(try reader.readLimit())
            default: throw reader.unknownMember(allowed: Self.members)
            }
        }
        self.update = update
    }
}
