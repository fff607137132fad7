import ReorderEngine
import ReorderJSON

/// The merge patch of a list. None of its members can be removed, so none can be null.
struct SettingsBody {
    static let members: [StaticString] = [
        "title", "elementsOffset", "collapseSubElements", "moves",
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
            default: throw reader.unknownMember(allowed: Self.members)
            }
        }
        self.update = update
    }
}
