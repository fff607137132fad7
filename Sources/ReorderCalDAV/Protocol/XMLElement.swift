import Foundation
import ReorderImportExport

/// An element of a request's body.
package struct XMLElement: Sendable {
    enum Node: Sendable {
        case element(XMLElement)
        case text(String)
    }

    let name: XMLName
    /// Without the declarations of namespaces, and those in other namespaces than that of XML itself.
    var attributes: [(name: String, value: String)] = []
    var content: [Node] = []

    init(_ name: XMLName) { self.name = name }

    package var children: [XMLElement] {
        content.compactMap { if case .element(let child) = $0 { child } else { nil } }
    }

    /// The text of the element itself.
    package var text: String {
        content.reduce(into: "") { text, node in if case .text(let part) = node { text += part } }
    }

    package func child(_ name: XMLName) -> XMLElement? { children.first { $0.name == name } }

    func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
}

/// Reads XML with namespaces, strictly: no document types, so no entities but those of XML itself.
package struct XMLReader {
    /// Why a body is refused: a sentence for people.
    package struct Failure: Error { let reason: String }

    static let maximumDepth = 32
    /// Enough to name all tasks of a calendar, each on a line.
    static let maximumNodes = 5 * DAV.maximumTasks
    /// The maximum number of namespaces that can be used at one place.
    static let maximumNamespaces = 32
    static let maximumNameBytes = 255
    /// The maximum number of namespaces that can be used where one is declared, of all places together. Apple's apps declare
    /// one for each task that they name.
    static let maximumNamespacesInAll = 10 * DAV.maximumTasks

    private var nodes = 0
    private var namespacesInAll = 0
    /// The open elements, and the namespaces of their prefixes.
    private var open: [(element: XMLElement, tag: String, namespaces: [String: String])] = []

    /// The outermost element. O(bytes).
    package static func read(_ bytes: [UInt8]) throws(Failure) -> XMLElement {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Failure(reason: "The body is not UTF-8.")
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
        try checkEncoding(content)
        var reader = XMLReader()
        var scanner = XMLScanner(content, allowsDocumentType: false)
        var root: XMLElement?
        do {
            while let (event, _) = try scanner.next() {
                let ended = try reader.add(event)
                guard let ended else { continue }
                guard root == nil else { throw Failure(reason: "The body has two elements.") }
                root = ended
            }
        } catch let error as ImportError {
            throw Failure(reason: error.reason)
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure(reason: "The body is not XML.")
        }
        guard let root, reader.open.isEmpty else {
            throw Failure(reason: "The body ends within an element, or has none.")
        }
        return root
    }

    /// A declaration at the beginning must name no other encoding.
    private static func checkEncoding(_ content: ArraySlice<UInt8>) throws(Failure) {
        guard content.starts(with: "<?xml".utf8),
            let end = content.firstRange(of: Array("?>".utf8))
        else { return }
        let declaration = String(decoding: content[..<end.lowerBound], as: UTF8.self)
        guard let name = declaration.range(of: "encoding") else { return }
        let value = declaration[name.upperBound...].drop { " \t\r\n=".contains($0) }
        let encoding = value.dropFirst().prefix { $0 != "\"" && $0 != "'" }.lowercased()
        guard ["utf-8", "us-ascii"].contains(encoding) else {
            throw Failure(reason: "The body must be UTF-8.")
        }
    }

    /// Adds an event. Returns the outermost element when it ends.
    private mutating func add(_ event: XMLScanner.Event) throws(Failure) -> XMLElement? {
        nodes += 1
        guard nodes <= Self.maximumNodes else {
            throw Failure(reason: "The body has too many elements.")
        }
        switch event {
        case .comment: return nil
        case .text(let text):
            try check(text)
            guard !open.isEmpty else {
                guard text.allSatisfy(\.isWhitespace) else {
                    throw Failure(reason: "There is text outside of the element.")
                }
                return nil
            }
            open[open.count - 1].element.content.append(.text(text))
            return nil
        case .start(let tag, let attributes, let isEmpty):
            nodes += attributes.count
            try begin(tag, attributes)
            return isEmpty ? try end(tag) : nil
        case .end(let tag): return try end(tag)
        }
    }

    private mutating func begin(
        _ tag: String, _ attributes: [(name: String, value: String)]
    ) throws(Failure) {
        guard nodes <= Self.maximumNodes else {
            throw Failure(reason: "The body has too many attributes.")
        }
        guard open.count < Self.maximumDepth else {
            throw Failure(reason: "The body is nested too deep.")
        }
        var namespaces = open.last?.namespaces ?? [:]
        var others: [(name: String, value: String)] = []
        var names: Set<String> = []
        for (name, value) in attributes {
            guard names.insert(name).inserted else {
                throw Failure(reason: "An attribute is repeated.")
            }
            try check(value)
            let (prefix, local) = try parts(of: name)
            switch prefix {
            case "" where local == "xmlns": try declare("", value, in: &namespaces)
            case "xmlns": try declare(local, value, in: &namespaces)
            case "", "xml": others.append((name, value))
            default: continue
            }
        }
        guard namespaces.count <= Self.maximumNamespaces else {
            throw Failure(reason: "The body has too many namespaces.")
        }
        let (prefix, local) = try parts(of: tag)
        guard let namespace = namespaces[prefix] ?? (prefix.isEmpty ? "" : nil) else {
            throw Failure(reason: "The prefix \(prefix.prefix(64)) is not declared.")
        }
        var element = XMLElement(XMLName(namespace, local))
        element.attributes = others
        open.append((element, tag, namespaces))
    }

    /// Declares a namespace. That of XML itself, and that of declarations, can't be names of elements.
    private mutating func declare(
        _ prefix: String, _ namespace: String, in namespaces: inout [String: String]
    ) throws(Failure) {
        guard prefix.isEmpty || !namespace.isEmpty, !prefix.hasPrefix("xml"),
            namespace.utf8.count <= Self.maximumNameBytes, !namespace.hasPrefix(Self.reserved[0]),
            !namespace.hasPrefix(Self.reserved[1])
        else { throw Failure(reason: "A namespace can't be declared.") }
        guard namespaces[prefix] != namespace else { return }
        namespaces[prefix] = namespace
        namespacesInAll += namespaces.count
        guard namespacesInAll <= Self.maximumNamespacesInAll else {
            throw Failure(reason: "The body declares too many namespaces.")
        }
    }

    private static let reserved = [
        "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/",
    ]

    /// The prefix and the local name. Names have only ASCII, because programs differ in what else they accept.
    private func parts(of name: String) throws(Failure) -> (prefix: String, local: String) {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        let areNames = parts.allSatisfy { part in
            guard let first = part.utf8.first, Self.isLetter(first) else { return false }
            return part.utf8.allSatisfy {
                Self.isLetter($0) || $0 >= 0x30 && $0 <= 0x39 || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: ".")
            }
        }
        guard parts.count <= 2, areNames, name.utf8.count <= Self.maximumNameBytes else {
            throw Failure(reason: "\(name.prefix(64)) is not a name of ASCII letters and digits.")
        }
        return (parts.count == 2 ? String(parts[0]) : "", String(parts[parts.count - 1]))
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte == UInt8(ascii: "_")
    }

    private func check(_ text: String) throws(Failure) {
        guard text.withoutControls.utf8.elementsEqual(text.utf8) else {
            throw Failure(reason: "The body has control characters.")
        }
    }

    private mutating func end(_ tag: String) throws(Failure) -> XMLElement? {
        guard let (element, started, _) = open.popLast(), started == tag else {
            throw Failure(reason: "The tag \(tag.prefix(64)) closes no element.")
        }
        guard !open.isEmpty else { return element }
        open[open.count - 1].element.content.append(.element(element))
        return nil
    }
}
