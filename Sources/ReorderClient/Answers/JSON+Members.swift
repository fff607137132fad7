import ReorderJSON

extension JSONReader {
    /// A reader of an answer of the server.
    init(answer json: [UInt8]) throws {
        self.init(try JSONText(checking: json, maximumDepth: 24))
    }

    /// The value of a member of an object.
    ///
    /// - Throws: if the object does not have it.
    static func value<Value>(
        of member: StaticString, in json: [UInt8],
        _ read: (inout JSONReader) throws(JSONTypeError) -> Value
    ) throws -> Value {
        var reader = try JSONReader(answer: json)
        var value: Value?
        try reader.beginObject()
        while let name = reader.nextMember() {
            if member ~= name { value = try read(&reader) }
        }
        guard let value else { throw reader.missingMember(member) }
        return value
    }
}

extension JSONWriter {
    /// An object.
    static func object(_ writeMembers: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writeMembers(&writer)
        writer.endObject()
        return writer.bytes
    }
}
