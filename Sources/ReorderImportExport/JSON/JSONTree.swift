import ReorderJSON

/// A JSON value in memory, for documents that refer from one part to another.
indirect enum JSONTree {
    /// A string, or the text of a number or boolean.
    case text(String)
    case array([JSONTree])
    case object([(name: String, value: JSONTree)], lines: ClosedRange<Int>)
    case null

    /// Other programs nest less; the tree is read by recursion.
    private static let maximumDepth = 64

    init(_ bytes: [UInt8]) throws(ImportError) {
        do throws(JSONError) {
            let bytes = Array(InputLines.withoutByteOrderMark(bytes))
            var reader = JSONReader(try JSONText(checking: bytes, maximumDepth: Self.maximumDepth))
            var lines = LineCounter(bytes: bytes)
            self.init(from: &reader, &lines)
        } catch {
            let lines = bytes.prefix(error.offset).count { $0 == Byte.lineFeed }
            throw ImportError(line: 1 + lines, pointer: error.pointer, reason: error.description)
        }
    }

    private init(from reader: inout JSONReader, _ lines: inout LineCounter) {
        switch reader.peek {
        case .object:
            let start = lines.line(at: reader.offset)
            var members: [(name: String, value: JSONTree)] = []
            try? reader.beginObject()
            while reader.nextMember() != nil {
                members.append((reader.memberName, JSONTree(from: &reader, &lines)))
            }
            self = .object(members, lines: start...lines.line(at: reader.offset - 1))
        case .array:
            var elements: [JSONTree] = []
            try? reader.beginArray()
            while reader.nextElement() { elements.append(JSONTree(from: &reader, &lines)) }
            self = .array(elements)
        case .string: self = (try? JSONTree.text(reader.readString())) ?? .null
        case .null:
            _ = reader.readNull()
            self = .null
        default: self = .text(reader.readRaw())
        }
    }

    /// The values at a path of members, such as `labels.title`. Arrays on the path are walked.
    func values(_ path: String) -> [JSONTree] {
        guard !path.isEmpty else { return [] }
        return path.split(separator: ".").reduce([self]) { values, name in
            values.flatMap { $0.elements.flatMap { $0.member(String(name)).elements } }
        }
    }

    /// The texts at a path that are not empty.
    func texts(_ path: String) -> [String] {
        values(path).compactMap { value in
            if case .text(let text) = value, !text.isEmpty { text } else { nil }
        }
    }

    func text(_ path: String) -> String { texts(path).first ?? "" }

    /// Whether the value at a path is neither missing nor empty nor false.
    func isTrue(_ path: String) -> Bool { values(path).contains { !$0.isEmpty } }

    private func member(_ name: String) -> JSONTree {
        guard case .object(let members, _) = self else { return .null }
        return members.first { $0.name == name }?.value ?? .null
    }

    /// The elements of an array, nothing for null, otherwise this value.
    var elements: [JSONTree] {
        switch self {
        case .array(let elements): elements
        case .null: []
        default: [self]
        }
    }

    var isEmpty: Bool {
        switch self {
        case .text(let text): ["", "0", "false"].contains(text)
        case .array(let elements): elements.isEmpty
        case .object(let members, _): members.isEmpty
        case .null: true
        }
    }

    /// The values of an object's members, or the elements of an array.
    var children: [JSONTree] {
        if case .object(let members, _) = self { members.map(\.value) } else { elements }
    }

    var memberNames: [String] {
        guard case .object(let members, _) = self else { return [] }
        return members.filter { !$0.value.isEmpty }.map(\.name)
    }

    var lines: ClosedRange<Int> {
        if case .object(_, let lines) = self { lines } else { 1...1 }
    }
}

/// The line numbers of ascending offsets.
private struct LineCounter {
    let bytes: [UInt8]
    private var offset = 0
    private var line = 1

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func line(at end: Int) -> Int {
        while offset < end {
            if bytes[offset] == Byte.lineFeed { line += 1 }
            offset += 1
        }
        return line
    }
}
