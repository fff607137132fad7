import ReorderJSON

/// Reads a text value by value, and writes the values again.
enum JSONRewriting {
    static func fault(in bytes: [UInt8]) -> String? {
        guard let first = rewritten(bytes) else { return nil }
        guard let second = rewritten(first) else { return "the written text is not JSON" }
        return first == second ? nil : "what was written is written otherwise"
    }

    /// Returns nil if the bytes are not JSON or are refused.
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
        // Numbers keep their notation.
        default: writer.raw(reader.readRaw().utf8)
        }
    }
}

/// Reads stored data and writes it again.
enum DocumentRewriting {
    static func fault(in bytes: [UInt8]) -> String? {
        listFault(in: bytes) ?? changeFault(in: bytes)
    }

    private static func listFault(in bytes: [UInt8]) -> String? {
        guard let document = try? ListDocument(json: bytes), let list = try? document.makeList()
        else { return nil }
        let first = ListDocument.json(id: "l", version: 1, of: list)
        guard let again = try? ListDocument(json: first).makeList() else {
            return "a written list can't be read again"
        }
        return ListDocument.json(id: "l", version: 1, of: again) == first
            ? nil : "a list that was read is another one"
    }

    private static func changeFault(in bytes: [UInt8]) -> String? {
        guard let change = try? ChangeDocument(json: bytes) else { return nil }
        let first = change.json()
        guard let again = try? ChangeDocument(json: first) else {
            return "a written change can't be read again"
        }
        return again.json() == first ? nil : "a change that was read is another one"
    }
}
