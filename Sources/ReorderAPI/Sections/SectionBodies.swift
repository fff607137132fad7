import ReorderEngine
import ReorderJSON

/// The body that creates a section: its content, and its index among the sections (default: last).
struct SectionBody {
    let id: SectionID
    let title: String
    let position: Int?

    init(from reader: inout JSONReader, makeID: () -> String) throws(JSONTypeError) {
        var id: SectionID?
        var title: String?
        var position: Int?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": id = try reader.readIdentifier()
            case "title": title = try reader.readTitle()
            case "position": position = try reader.readCount()
            default: throw reader.unknownMember()
            }
        }
        guard let title else { throw reader.missingMember("title") }
        self.id = id ?? makeID()
        self.title = title
        self.position = position
    }
}

/// The merge patch of a section.
struct SectionPatchBody {
    let title: String?

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var title: String?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "title": title = try reader.readTitle()
            default: throw reader.unknownMember()
            }
        }
        self.title = title
    }
}

/// The body that moves a section: its new index among the other sections.
struct SectionMoveBody {
    let position: Int

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var position: Int?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "position": position = try reader.readCount()
            default: throw reader.unknownMember()
            }
        }
        guard let position else { throw reader.missingMember("position") }
        self.position = position
    }
}
