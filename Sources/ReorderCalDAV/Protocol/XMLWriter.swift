/// Writes the XML of responses. The prefixes `d`, `c`, `cs` and `a` are declared by the outermost element.
package struct XMLWriter {
    private(set) var bytes: [UInt8] = []
    /// The ranges of the names of open elements in the bytes.
    private var open: [Range<Int>] = []

    private static let prefixes = [
        XMLName.dav: "d", XMLName.caldav: "c", XMLName.calendarServer: "cs", XMLName.apple: "a",
    ]

    /// A document with this outermost element.
    package static func document(_ name: XMLName, _ content: (inout XMLWriter) -> Void) -> [UInt8] {
        var writer = XMLWriter()
        writer.raw(#"<?xml version="1.0" encoding="utf-8"?>"# + "\n")
        let declarations = prefixes.sorted { $0.value < $1.value }.map {
            (name: "xmlns:\($0.value)", value: $0.key)
        }
        writer.element(name, declarations) { content(&$0) }
        return writer.bytes
    }

    mutating func element(
        _ name: XMLName, _ attributes: [(name: String, value: String)] = [],
        _ content: (inout XMLWriter) -> Void
    ) {
        begin(name, attributes)
        content(&self)
        end()
    }

    mutating func element(_ name: XMLName, text: String) {
        begin(name)
        self.text(text)
        end()
    }

    mutating func empty(_ name: XMLName, _ attributes: [(name: String, value: String)] = []) {
        start(name, attributes)
        open.removeLast()
        raw("/>")
    }

    mutating func begin(_ name: XMLName, _ attributes: [(name: String, value: String)] = []) {
        start(name, attributes)
        raw(">")
    }

    mutating func end() {
        guard let range = open.popLast() else { return }
        let name = Array(bytes[range])
        raw("</")
        bytes += name
        raw(">")
    }

    mutating func href(_ path: String) { element(.dav("href"), text: path) }

    /// A copy of an element of a request.
    package mutating func copy(_ element: XMLElement) {
        begin(element.name, element.attributes)
        for node in element.content {
            switch node {
            case .text(let text): self.text(text)
            case .element(let child): copy(child)
            }
        }
        end()
    }

    mutating func raw(_ text: some StringProtocol) { bytes.append(contentsOf: text.utf8) }

    mutating func text(_ text: String) { self.text(utf8: text.utf8) }

    /// Escapes also carriage returns, which readers of XML would drop, and replaces characters that XML can't have.
    mutating func text(utf8 text: some Sequence<UInt8>) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): raw("&amp;")
            case UInt8(ascii: "<"): raw("&lt;")
            case UInt8(ascii: ">"): raw("&gt;")
            case UInt8(ascii: "\""): raw("&quot;")
            case UInt8(ascii: "\r"): raw("&#13;")
            case 0..<0x09, 0x0B..<0x20: raw("\u{FFFD}")
            case 0xBE where isInNoncharacter, 0xBF where isInNoncharacter: bytes.append(0xBD)
            default: bytes.append(byte)
            }
        }
    }

    /// Whether the last byte of U+FFFE or U+FFFF, which XML can't have, may follow.
    private var isInNoncharacter: Bool { bytes.suffix(2).elementsEqual([0xEF, 0xBF]) }

    private mutating func attribute(_ name: String, _ value: String) {
        raw(" \(name)=\"")
        text(value)
        raw("\"")
    }

    /// Writes the beginning of an element without its end.
    private mutating func start(_ name: XMLName, _ attributes: [(name: String, value: String)]) {
        raw("<")
        let start = bytes.count
        let prefix = Self.prefixes[name.namespace]
        if !name.namespace.isEmpty {
            raw(prefix ?? "x")
            raw(":")
        }
        raw(name.local)
        open.append(start..<bytes.count)
        if prefix == nil, !name.namespace.isEmpty { attribute("xmlns:x", name.namespace) }
        for (name, value) in attributes { attribute(name, value) }
    }
}
