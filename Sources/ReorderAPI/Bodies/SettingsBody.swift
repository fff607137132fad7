import ReorderEngine
import ReorderJSON

/// The merge patch of a list. Only its limits and its data can be removed, with null.
struct SettingsBody {
    static let members: [StaticString] = [
        "title", "elementsOffset", "collapseSubElements", "moves", "maxDepth",
        "maxTasksPerSection", "tasksPerParent", "data",
    ]

    let update: SettingsUpdate
    /// The merge patch of the data; nil if it is omitted.
    let data: String?

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var update = SettingsUpdate()
        var data: String?
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
            case "data": data = try reader.readData() ?? "null"
            default: throw reader.unknownMember(allowed: Self.members)
            }
        }
        self.update = update
        self.data = data
    }
}
