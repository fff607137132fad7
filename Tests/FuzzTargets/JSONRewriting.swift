import ReorderJSON

/// Reads a text value by value, and writes what it read.
enum JSONRewriting {
    static func fault(in bytes: [UInt8]) -> String? {
        guard let first = rewritten(bytes) else { return nil }
        guard let second = rewritten(first) else { return "what was written is no JSON" }
        return first == second ? nil : "what was written is written otherwise"
    }

    /// `nil` where it is no JSON, or holds what is refused.
    private static func rewritten(_ bytes: [UInt8]) -> [UInt8]? {
        guard let text = try? JSONText(checking: bytes) else { return nil }
        var reader = JSONReader(text)
        var writer = JSONWriter()
        do throws(JSONTypeError) {
            try rewrite(&reader, &writer)
        } catch {
            return nil
        }
        return writer.takeBytes()
    }

    private static func rewrite(
        _ reader: inout JSONReader, _ writer: inout JSONWriter
    ) throws(JSONTypeError) {
        switch reader.peek {
        case .object:
            try reader.beginObject()
            writer.beginObject()
            while reader.nextMember() != nil {
                writer.name(escaping: reader.memberName)
                try rewrite(&reader, &writer)
            }
            writer.endObject()
        case .array:
            try reader.beginArray()
            writer.beginArray()
            while reader.nextElement() { try rewrite(&reader, &writer) }
            writer.endArray()
        case .string: writer.string(try reader.readString())
        case .boolean: writer.bool(try reader.readBool())
        // Numbers are kept as they were written.
        default: writer.raw(reader.readRaw().utf8)
        }
    }
}

/// Reads what stores keep, and writes it.
enum DocumentRewriting {
    static func fault(in bytes: [UInt8]) -> String? {
        listFault(in: bytes) ?? changeFault(in: bytes)
    }

    private static func listFault(in bytes: [UInt8]) -> String? {
        guard let document = try? ListDocument(json: bytes), let list = try? document.makeList()
        else { return nil }
        let first = ListDocument.json(id: "l", version: 1, of: list)
        guard let again = try? ListDocument(json: first).makeList() else {
            return "a list that was written can't be read"
        }
        return ListDocument.json(id: "l", version: 1, of: again) == first
            ? nil : "a list that was read is another one"
    }

    private static func changeFault(in bytes: [UInt8]) -> String? {
        guard let change = try? ChangeDocument(json: bytes) else { return nil }
        let first = change.json()
        guard let again = try? ChangeDocument(json: first) else {
            return "a change that was written can't be read"
        }
        return again.json() == first ? nil : "a change that was read is another one"
    }
}
