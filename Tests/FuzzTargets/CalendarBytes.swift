import ReorderCalDAV

/// Reads the XML of a request, and writes it as a response.
enum XMLRewriting {
    static func fault(in bytes: [UInt8]) -> String? {
        guard let element = try? XMLReader.read(bytes) else { return nil }
        let first = Self.written(element)
        guard let again = try? XMLReader.read(first), let copy = again.children.first else {
            return "the written XML can't be read again"
        }
        return Self.written(copy) == first ? nil : "what was written is written otherwise"
    }

    private static func written(_ element: XMLElement) -> [UInt8] {
        XMLWriter.document(.dav("multistatus")) { $0.copy(element) }
    }
}

/// Reads the text of a task. Its lines are the whole text.
enum CalendarLines {
    static func fault(in bytes: [UInt8]) -> String? {
        guard let text = try? CalendarText(bytes) else { return nil }
        guard text.lines.flatMap({ Array(text.bytes[$0.range]) }) == text.bytes else {
            return "the lines are not the text"
        }
        // Only folds within characters are removed.
        guard text.bytes == bytes || String(validating: bytes, as: UTF8.self) == nil else {
            return "the text is another one"
        }
        return nil
    }
}
