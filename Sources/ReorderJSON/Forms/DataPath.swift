/// Why the text of a path or of a filter is invalid, as a sentence for the client.
package struct DataQueryError: Error {
    package let reason: String
}

/// The place of a value in the `data` of a task, as a query names it: `data`, and after points the names of
/// members of nested objects, such as `data.due.date`. A name with other ASCII characters than letters,
/// digits, `_` and `-` is a JSON string: `data."due.date"`. So another syntax is refused, and never a name.
package struct DataPath: Sendable, Equatable {
    /// The names as canonical JSON strings, in quotes.
    private var names: [[UInt8]] = []

    /// The names, each in quotes. Other paths have other bytes.
    var bytes: [UInt8] { Array(names.joined()) }

    /// - Throws: if the text is not a path.
    package init(_ text: String) throws(DataQueryError) {
        var rest = Array(text.utf8)[...]
        try self.init(beginning: &rest)
        guard rest.isEmpty else { throw Self.invalid }
    }

    /// Reads the path at the beginning of a text, and removes it there.
    init(beginning text: inout ArraySlice<UInt8>) throws(DataQueryError) {
        guard text.starts(with: "data".utf8) else { throw Self.invalid }
        text.removeFirst(4)
        while text.first == ASCII.dot {
            text.removeFirst()
            names.append(try Self.name(beginning: &text))
        }
    }

    private static func name(beginning text: inout ArraySlice<UInt8>) throws(DataQueryError)
        -> [UInt8]
    {
        guard text.first == ASCII.quote else {
            let name = text.prefix(while: isPlain)
            guard !name.isEmpty else { throw invalid }
            text.removeFirst(name.count)
            var writer = JSONWriter()
            name.withUnsafeBufferPointer { writer.string(utf8: $0) }
            return writer.takeBytes()
        }
        var end = text.startIndex + 1
        while end < text.endIndex, text[end] != ASCII.quote {
            end += text[end] == ASCII.backslash ? 2 : 1
        }
        guard end < text.endIndex, let name = canonicalString(Array(text[...end])) else {
            throw DataQueryError(reason: "A name in quotes must be a JSON string.")
        }
        text.removeFirst(end + 1 - text.startIndex)
        return name
    }

    /// A JSON string in canonical form; nil if the text is something else.
    static func canonicalString(_ text: [UInt8]) -> [UInt8]? {
        guard text.first == ASCII.quote, text.last == ASCII.quote,
            let text = try? JSONText(checking: text)
        else { return nil }
        var reader = JSONReader(text)
        return Array(reader.readRaw().utf8)
    }

    /// Whether a byte can be in a name without quotes.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
            true
        default: false
        }
    }

    private static let invalid = DataQueryError(
        reason: "It begins with data, and after points the names of members, such as data.due or "
            + "data.due.date. A name with other characters than letters, digits, _ and - is a JSON "
            + "string in quotes.")

    /// Finds the value in a canonical text. O(its length).
    ///
    /// - Returns: nil if a member of the path is missing.
    func value(in text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        var start = 0
        for name in names {
            guard let next = text.start(ofMember: name, inValueAt: start) else { return nil }
            start = next
        }
        return UnsafeBufferPointer(rebasing: text[start..<text.endOfValue(from: start)])
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The start of a member's value; nil if the value at `start` is not an object with this member.
    fileprivate func start(ofMember name: [UInt8], inValueAt start: Int) -> Int? {
        guard self[start] == ASCII.openBrace else { return nil }
        var index = start + 1
        while self[index] != ASCII.closeBrace {
            let end = endOfValue(from: index)
            if self[index..<end].elementsEqual(name) { return end + 1 }
            index = endOfValue(from: end + 1)
            if self[index] == ASCII.comma { index += 1 }
        }
        return nil
    }
}
