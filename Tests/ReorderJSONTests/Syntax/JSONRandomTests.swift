import RandomRuns
import ReorderJSON
import Testing

/// The simplest model of a JSON value.
private indirect enum Model: Equatable {
    case null, bool(Bool), int(Int), number(String), string(String)
    case array([Model]), object([Member])

    struct Member: Equatable {
        var name: String
        var value: Model
    }

    static func random(depth: Int, using random: inout SeededGenerator) -> Model {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .int(.random(in: -1_000...1_000, using: &random))
        case 3: return .int(.random(in: .min ... .max, using: &random))
        case 4:
            return .number(["-0", "1.50", "1e-400", "12E+3"].randomElement(using: &random) ?? "0")
        case 5: return .string(randomString(using: &random))
        case 6, 7:
            return .array(
                (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                    Model.random(depth: depth - 1, using: &random)
                })
        default:
            var members: [Member] = []
            for _ in 0..<Int.random(in: 0..<24, using: &random) {
                let name = randomString(using: &random)
                guard !members.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                    continue
                }
                members.append(
                    Member(name: name, value: Model.random(depth: depth - 2, using: &random)))
            }
            return .object(members)
        }
    }

    private static func randomString(using random: inout SeededGenerator) -> String {
        let alphabet: [Unicode.Scalar] = [
            "a", "b", "z", " ", "/", "~", "\"", "\\", "\n", "\u{1}", "\u{7F}", "é", "€", "日",
            "\u{2028}", "😹", "\u{10FFFF}",
        ]
        var string = ""
        for _ in 0..<Int.random(in: 0..<20, using: &random) {
            string.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "a")
        }
        return string
    }

    func write(into writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .int(let value): writer.int(value)
        case .number(let text): writer.raw(text.utf8)
        case .string(let value): writer.string(value)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(into: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.name(escaping: member.name)
                member.value.write(into: &writer)
            }
            writer.endObject()
        }
    }

    /// Reads a value; a number that is not an integer as its text.
    static func read(_ reader: inout JSONReader) throws(JSONTypeError) -> Model {
        switch reader.peek {
        case .null: return reader.readNull() ? .null : .bool(false)
        case .boolean: return .bool(try reader.readBool())
        case .string: return .string(try reader.readString())
        case .number:
            let text = reader.readRaw()
            return Int(text).flatMap { String($0) == text ? .int($0) : nil } ?? .number(text)
        case .array:
            var elements: [Model] = []
            try reader.beginArray()
            while reader.nextElement() { elements.append(try read(&reader)) }
            return .array(elements)
        case .object:
            var members: [Member] = []
            try reader.beginObject()
            while reader.nextMember() != nil {
                members.append(Member(name: reader.memberName, value: try read(&reader)))
            }
            return .object(members)
        }
    }

    func shuffled(using random: inout SeededGenerator) -> Model {
        switch self {
        case .array(let elements):
            return .array(elements.map { $0.shuffled(using: &random) })
        case .object(let members):
            let members = members.shuffled(using: &random)
            return .object(
                members.map { Member(name: $0.name, value: $0.value.shuffled(using: &random)) })
        default: return self
        }
    }
}

@Suite struct JSONRandomTests {
    private func text(of model: Model) -> [UInt8] {
        var writer = JSONWriter()
        model.write(into: &writer)
        return writer.bytes
    }

    /// `text` with equivalent white space and escapes.
    private func loosened(_ text: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var loose: [UInt8] = []
        var inString = false
        var afterBackslash = false
        for byte in text {
            let isQuote = byte == UInt8(ascii: "\"") && !afterBackslash
            if !inString, ",:[]{}".utf8.contains(byte), Bool.random(using: &random) {
                loose += [0x20, UInt8(ascii: "\n"), byte, UInt8(ascii: "\t")]
            } else if inString, byte == UInt8(ascii: "a"), !afterBackslash {
                loose += Array("\\u0061".utf8)
            } else {
                loose.append(byte)
            }
            if isQuote { inString.toggle() }
            afterBackslash = byte == UInt8(ascii: "\\") && !afterBackslash
        }
        return loose
    }

    @Test(arguments: UInt64(1)...8)
    func writtenValuesAreReadUnchanged(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let model = Model.random(depth: 6, using: &random)
            let bytes = text(of: model)
            var reader = JSONReader(try JSONText(checking: bytes))
            #expect(try Model.read(&reader) == model, "seed \(seed)")

            let loose = loosened(bytes, using: &random)
            var raw = JSONReader(try JSONText(checking: loose))
            #expect(Array(raw.readRaw().utf8) == bytes, "seed \(seed)")

            let shuffled = String(decoding: text(of: model.shuffled(using: &random)), as: UTF8.self)
            #expect(
                JSONText.equal(String(decoding: bytes, as: UTF8.self), shuffled), "seed \(seed)")
        }
    }

    @Test(arguments: UInt64(1)...4)
    func changedBytesAreRefusedOrReadable(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let interesting =
            Array("\"\\{}[],:-+.eE0129tfnu \u{0}\u{1F}\u{7F}".utf8) + [
                0x80, 0xC2, 0xED, 0xF4, 0xFF,
            ]
        var accepted = 0
        for _ in 0..<200 {
            let original = text(of: Model.random(depth: 3, using: &random))
            for _ in 0..<50 {
                var bytes = original
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let index = Int.random(in: bytes.indices, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                    case 1: bytes[index] = interesting.randomElement(using: &random) ?? 0
                    case 2: bytes.insert(interesting.randomElement(using: &random) ?? 0, at: index)
                    default: if bytes.count > 1 { bytes.remove(at: index) }
                    }
                }
                guard let text = try? JSONText(checking: bytes) else { continue }
                accepted += 1
                #expect(String(validating: bytes, as: UTF8.self) != nil, "seed \(seed)")
                var reader = JSONReader(text)
                let raw = reader.readRaw()
                var again = JSONReader(try JSONText(checking: Array(raw.utf8)))
                #expect(again.readRaw() == raw, "seed \(seed)")
                #expect(JSONText.equal(raw, String(decoding: bytes, as: UTF8.self)), "seed \(seed)")
                var modelReader = JSONReader(text)
                _ = try Model.read(&modelReader)
            }
        }
        #expect(accepted > 100, "seed \(seed): the random changes left too few valid texts")
    }
}
