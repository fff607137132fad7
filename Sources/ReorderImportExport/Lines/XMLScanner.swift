/// Reads the tags, attributes and text of XML, with their lines. No document types with entities,
/// no namespaces; whoever reads the events checks that elements are closed.
package struct XMLScanner {
    package enum Event {
        case start(String, attributes: [(name: String, value: String)], isEmpty: Bool)
        case end(String)
        case text(String)
        case comment
    }

    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private var line = 1
    private let allowsDocumentType: Bool

    /// - Parameter allowsDocumentType: whether a document type is passed over, or is an error.
    package init(_ bytes: ArraySlice<UInt8>, allowsDocumentType: Bool = true) {
        self.bytes = bytes
        self.allowsDocumentType = allowsDocumentType
        index = bytes.startIndex
    }

    /// The next event; nil at the end. O(its length).
    package mutating func next() throws(ImportError) -> (event: Event, lines: ClosedRange<Int>)? {
        while index < bytes.endIndex {
            let first = line
            if bytes[index] != UInt8(ascii: "<") {
                let text = try decode(take { $0 != UInt8(ascii: "<") })
                return (.text(text), first...line)
            }
            if try take("<!--", to: "-->") != nil { return (.comment, first...line) }
            if try take("<?", to: "?>") != nil { continue }
            if let text = try take("<![CDATA[", to: "]]>") { return (.text(text), first...line) }
            if allowsDocumentType, try take("<!DOCTYPE", to: ">") != nil { continue }
            return (try tag(), first...line)
        }
        return nil
    }

    private mutating func tag() throws(ImportError) -> Event {
        advance(1)
        let isEnd = take("/")
        let name = takeName()
        guard !name.isEmpty else { throw error("A tag has no name.") }
        var attributes: [(name: String, value: String)] = []
        while true {
            let blanks = take(while: Self.isSpace)
            if take(">") {
                return isEnd ? .end(name) : .start(name, attributes: attributes, isEmpty: false)
            }
            if !isEnd, take("/>") { return .start(name, attributes: attributes, isEmpty: true) }
            let attribute = takeName()
            guard !isEnd, !blanks.isEmpty, !attribute.isEmpty else {
                throw error("The tag \(name.prefix(64)) is not closed.")
            }
            _ = take(while: Self.isSpace)
            guard take("=") else {
                throw error("The attribute \(attribute.prefix(64)) has no value.")
            }
            _ = take(while: Self.isSpace)
            guard index < bytes.endIndex,
                bytes[index] == Byte.quote || bytes[index] == UInt8(ascii: "'")
            else { throw error("The value of \(attribute.prefix(64)) must be in quotes.") }
            let quote = bytes[index]
            advance(1)
            let value = take { $0 != quote }
            guard index < bytes.endIndex else {
                throw error("The value of \(attribute.prefix(64)) is not closed.")
            }
            advance(1)
            attributes.append((attribute, try decode(value)))
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        Byte.isBlank(byte) || byte == Byte.lineFeed || byte == Byte.carriageReturn
    }

    private mutating func takeName() -> String {
        take { !Self.isSpace($0) && !"<>/=\"'&".utf8.contains($0) }.text
    }

    private mutating func advance(_ count: Int) {
        for byte in bytes[index..<(index + count)] where byte == Byte.lineFeed { line += 1 }
        index += count
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let found = bytes[index...].prefix(while: condition)
        advance(found.count)
        return found
    }

    private mutating func take(_ text: StaticString) -> Bool {
        guard bytes[index...].starts(with: "\(text)".utf8) else { return false }
        advance(text.utf8CodeUnitCount)
        return true
    }

    /// The text between two marks, if the first one is next.
    private mutating func take(
        _ start: StaticString, to end: StaticString
    ) throws(ImportError) -> String? {
        let first = line
        guard take(start) else { return nil }
        let from = index
        let mark = Array("\(end)".utf8)
        while index < bytes.endIndex {
            if bytes[index] == mark[0], bytes[index...].starts(with: mark) {
                let text = bytes[from..<index].text
                advance(mark.count)
                return text
            }
            advance(1)
        }
        throw ImportError(line: first, reason: "The part that begins here has no \(end).")
    }

    /// The text with its entities replaced.
    private func decode(_ text: ArraySlice<UInt8>) throws(ImportError) -> String {
        var decoded: [UInt8] = []
        var rest = text
        while let ampersand = rest.firstIndex(of: Byte.ampersand) {
            decoded += rest[..<ampersand]
            let entity = rest[(ampersand + 1)...].prefix(12)
            guard let end = entity.firstIndex(of: UInt8(ascii: ";")),
                let character = Self.character(entity[..<end].text)
            else { throw error("The text contains an unknown entity, or an & that must be &amp;.") }
            decoded += character.utf8
            rest = rest[(end + 1)...]
        }
        return (decoded + rest)[...].text
    }

    private static func character(_ entity: String) -> String? {
        switch entity {
        case "lt": "<"
        case "gt": ">"
        case "amp": "&"
        case "quot": "\""
        case "apos": "'"
        default: number(entity).flatMap(Unicode.Scalar.init).map { String($0) }
        }
    }

    private static func number(_ entity: String) -> UInt32? {
        guard entity.hasPrefix("#") else { return nil }
        return entity.hasPrefix("#x")
            ? UInt32(entity.dropFirst(2), radix: 16) : UInt32(entity.dropFirst())
    }

    private func error(_ reason: String) -> ImportError { ImportError(line: line, reason: reason) }
}
