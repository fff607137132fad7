import ReorderEngine
import ReorderJSON

/// The body that moves a section: its new index among the other sections, or another list.
struct SectionMoveBody {
    enum Destination {
        case here(position: Int)
        /// Without a position, the section becomes the last one.
        case list(String, position: Int?, isUndo: Bool)
    }

    let place: Destination

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var position: Int?
        var list: String?
        var isUndo = false
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "position": position = try reader.readCount()
            case "toList": list = try reader.readReference()
            case "undo": isUndo = try reader.readBool()
            default: throw reader.unknownMember(allowed: ["position", "toList", "undo"])
            }
        }
        if let list {
            place = .list(list, position: position, isUndo: isUndo)
        } else if let position {
            place = .here(position: position)
        } else {
            throw reader.missingMember("position")
        }
    }
}
