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

    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// A string that is not empty, or a number as a string; nil for other values.
    fileprivate var cell: JSONValue? {
        switch self {
        case .string(let text), .number(let text): text.isEmpty ? nil : .string(text)
        default: nil
        }
    }
}

extension JSONValue {
    private static let names = [
        "description", "priority", "author", "responsible", "date", "date_lang", "timezone",
        "duration", "duration_unit", "deadline", "deadline_lang", "notes", "content", "Priority",
        "type", "indent", "is_collapsed", "x", "", "ü", "a\"b",
    ]
    private static let numbers = ["0", "1", "2", "3", "4", "5", "9", "-1", "30", "2.5", "1e-3"]
    private static let strings = [
        "", " ", "high", "1", "4", "9", "30", "every day", "a,b;c\td", "\"", "\\", "\r\n", "\r",
        "\n",
        "  x ", "\u{1}", "\u{7F}", "\u{FEFF}", "\u{2028}", "שלום", "👩‍👩‍👧", "e\u{301}", "True", "sep=;",
    ]

    /// The data of a task: mostly an object with members that Todoist has.
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
        return .object(
            members.map { name in
                guard name == "notes", depth < 2, random.below(3) > 0 else {
                    return (name, value(using: &random, depth: depth + 1))
                }
                let notes = (0..<random.below(4)).map { _ in
                    object(using: &random, depth: depth + 2)
                }
                return (name, .array(notes))
            })
    }

    /// What Todoist's columns can represent of a task's data, as `data` of an imported task.
    var inTodoist: String? {
        var members: [(String, JSONValue)] = []
        for name in Self.names.prefix(11) {
            guard let value = self[name] else { continue }
            switch name {
            case "priority":
                if let number = value.number, ["1", "2", "3"].contains(number) {
                    members.append((name, .number(number)))
                }
            case "duration":
                if let number = value.number, Int(number).map({ $0 > 0 }) == true {
                    members.append((name, .number(number)))
                }
            default: if let cell = value.cell { members.append((name, cell)) }
            }
        }
        if case .array(let values)? = self["notes"] {
            let notes: [JSONValue] = values.compactMap { note in
                guard note["content"]?.cell != nil else { return nil }
                return .object(
                    ["content", "author", "date"].compactMap { name in
                        note[name]?.cell.map { (name, $0) }
                    })
            }
            if !notes.isEmpty { members.append(("notes", .array(notes))) }
        }
        return members.isEmpty ? nil : JSONValue.object(members).text
    }

    private var number: String? {
        switch self {
        case .number(let text), .string(let text): text
        default: nil
        }
    }
}
