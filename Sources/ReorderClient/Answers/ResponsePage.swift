import ReorderJSON

/// A page of a response that has several pages.
struct ResponsePage<Item> {
    var items: [Item] = []
    /// Gets the next page; nil: this is the last one.
    var cursor: String?

    /// - Parameters:
    ///   - member: the member with the items.
    ///   - read: reads an item.
    /// - Throws: if it is not such a response.
    init(
        json: [UInt8], items member: StaticString,
        _ read: (inout JSONReader) throws(JSONTypeError) -> Item
    ) throws {
        var reader = try JSONReader(answer: json)
        var isPage = false
        try reader.beginObject()
        while let name = reader.nextMember() {
            if member ~= name {
                isPage = true
                try reader.beginArray()
                while reader.nextElement() { items.append(try read(&reader)) }
            } else if "cursor" ~= name {
                cursor = try reader.readStringOrNull()
            } else {
                reader.skip()
            }
        }
        guard isPage else { throw reader.missingMember(member) }
    }
}
