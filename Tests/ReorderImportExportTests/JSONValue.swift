import RandomRuns
import ReorderJSON

/// Any JSON, for the data of tasks and sections.
indirect enum JSONValue {
    case null
    case bool(Bool)
    /// As written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([(name: String, value: JSONValue)])

    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text): text
        case .string(let text): Self.quoted(text)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",")
                + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONValue {
    private static let names = [
        "notes", "due", "labels", "priority", "url", "Priority", "type", "x", "", "ü", "a\"b",
    ]
    private static let numbers = ["0", "1", "2", "3", "4", "5", "9", "-1", "30", "2.5", "1e-3"]
    private static let strings = [
        "", " ", "high", "1", "2026-11-30", "https://x", "every day", "a,b;c\td", "\"", "\\",
        "\r\n", "\r",
        "\n",
        "  x ", "\u{1}", "\u{7F}", "\u{FEFF}", "\u{2028}", "שלום", "👩‍👩‍👧", "e\u{301}", "True", "sep=;",
    ]

    /// The data of a task: mostly an object with shared members.
    static func random(using random: inout SeededGenerator) -> JSONValue {
        random.below(8) == 0 ? value(using: &random, depth: 0) : object(using: &random, depth: 0)
    }

    private static func value(using random: inout SeededGenerator, depth: Int) -> JSONValue {
        switch random.below(depth < 4 ? 8 : 5) {
        case 0: .null
        case 1: .bool(random.below(2) == 0)
        case 2: .number(numbers[random.below(numbers.count)])
        case 3: .string(strings[random.below(strings.count)])
        case 4:
            .string(
                (0..<random.below(4)).map { _ in strings[random.below(strings.count)] }
                    .joined(separator: " "))
        case 5, 6:
            .array((0..<random.below(4)).map { _ in value(using: &random, depth: depth + 1) })
        default: object(using: &random, depth: depth)
        }
    }

    private static func object(using random: inout SeededGenerator, depth: Int) -> JSONValue {
        let members = names.shuffled(using: &random).prefix(random.below(9))
        return .object(members.map { ($0, value(using: &random, depth: depth + 1)) })
    }
}
