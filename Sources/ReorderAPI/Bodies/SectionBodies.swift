import ReorderEngine
import ReorderJSON
import ReorderService

/// The body that creates a section: its content, and its index among the sections (default: last).
struct SectionBody {
    let id: SectionID
    let title: String
    let position: Int?
    let data: String?
    let maxTasks: Int?

    init(from reader: inout JSONReader, makeID: () -> String) throws(JSONTypeError) {
        var id: SectionID?
        var title: String?
        var position: Int?
        var data: String?
        var maxTasks: Int?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": id = try reader.readIdentifier()
            case "title": title = try reader.readTitle()
            case "position": position = try reader.readCount()
            case "data": data = try reader.readData()
            case "maxTasks": maxTasks = try reader.readLimit()
            default:
                throw reader.unknownMember(
                    allowed: ["id", "title", "position", "data", "maxTasks"])
            }
        }
        guard let title else { throw reader.missingMember("title") }
        self.id = id ?? makeID()
        self.title = title
        self.position = position
        self.data = data
        self.maxTasks = maxTasks
    }
}

/// The merge patch of a section. Only `data` and `maxTasks` can be null.
struct SectionPatchBody {
    let patch: SectionPatch

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var patch = SectionPatch()
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "title": patch.title = try reader.readTitle()
            case "data": patch.data = try reader.readData() ?? "null"
            case "maxTasks": patch.maxTasks = LimitUpdate(try reader.readLimit())
            default: throw reader.unknownMember(allowed: ["title", "data", "maxTasks"])
            }
        }
        self.patch = patch
    }
}

/// The body that moves a section: its new index among the other sections, or another list.
struct SectionMoveBody {
    enum Place {
        case here(position: Int)
        /// Without a position, the section becomes the last one.
        case list(String, position: Int?, isUndo: Bool)
    }

    let place: Place

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
