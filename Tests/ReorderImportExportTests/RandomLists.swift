import RandomRuns
import ReorderEngine

/// Random lists with all kinds of titles, nesting and data; the same seed gives the same lists.
struct RandomLists {
    private var random: SeededGenerator
    private var ids = 0
    /// Whether all data has the members that programs share.
    private let sharesData: Bool
    /// Whether titles can have marks by which formats are recognized.
    private let hasMarks: Bool

    init(seed: UInt64, sharesData: Bool = false, hasMarks: Bool = false) {
        random = SeededGenerator(seed: seed)
        self.sharesData = sharesData
        self.hasMarks = hasMarks
    }

    private mutating func id(_ prefix: String) -> String {
        ids += 1
        return "\(prefix)\(ids)"
    }

    mutating func next() throws -> ReorderableList {
        let sections = (0..<random.below(4)).map { _ in (id: id("s"), title: title()) }
        let sectionData = sections.compactMap { section in data().map { (section.id, $0.text) } }
        var tasks: [ReorderableList.Entry] = []
        for section in [nil] + sections.map(\.id) {
            var path: [TaskID] = []
            for _ in 0..<random.below(12) {
                // Mostly one level deeper or the same, so that all levels occur.
                let depth = random.below(3) == 0 ? random.below(path.count + 1) : path.count
                path = Array(path.prefix(min(depth, ReorderableList.maximumLevels - 1)))
                let task = id("t")
                let data = data()
                let done = random.below(3) == 0
                tasks.append(
                    ReorderableList.Entry(
                        content: TaskContent(
                            id: task, title: title(), collapsed: random.below(4) == 0,
                            locked: random.below(4) == 0, done: done, data: data?.text,
                            stamps: TaskStamps(
                                createdAt: time(), updatedAt: time(),
                                completedAt: done ? time() : nil)),
                        section: section, parent: path.last))
                path.append(task)
            }
        }
        var list = try ReorderableList(
            settings: ListSettings(
                title: title(), elementsOffset: random.below(3),
                collapseSubElements: random.below(2) == 0,
                moves: random.below(2) == 0 ? .anywhere : .siblings),
            sections: sections, tasks: tasks,
            sectionData: Dictionary(uniqueKeysWithValues: sectionData))
        list.times = ListTimes(createdAt: time(), updatedAt: time())
        return list
    }

    private mutating func time() -> Int64? {
        random.below(3) == 0 ? nil : Int64(random.below(4_000_000_000_000))
    }

    /// Pieces with a meaning in one of the formats, and words in many scripts.
    private static let pieces = [
        "#", "##", "-", "*", "+", "1.", "2)", "[ ]", "[x]", "[", "]", "`", "``", "\\", "\\\\",
        "\\*", "&", "&amp;", "&#10;", ";", ",", "\"", "\"\"", "'", "\n", "\r\n", "\r", "\t", " ",
        "  ", "---", "===", "```", "~~~", "<!--", "-->", ">", "|", "**", "_", "\u{1}", "\u{7F}",
        "\u{301}", "\u{200F}", "\u{FEFF}", "\u{2028}", "\u{85}", "\u{A0}", "=1+1", "@label",
        " @label", "+", "x ", "(A) ", "2026-11-30", " due:2026-11-30", " p:1 id:1",
        ":", "<", "a",
        "Milk", "ミルク", "牛奶", "우유", "молоко", "חלב", "حليب", "दूध", "นม", "👩‍👩‍👧", "é", "e\u{301}",
    ]

    private static let marks = [
        "TYPE,CONTENT", ",TYPE,CONTENT", "TYPE\tCONTENT", "title,section",
        "level,title,section,done", "Task,Due",
        "Task\tDue", "sep=,", "List Name;Title;Content;Status", "{", "[", "[{", "\"title\":",
        "\"lists\":", "\"cards\":", "BEGIN:VCALENDAR", "<opml", "<", ":PROPERTIES:", "#+TITLE:",
        "* TODO ", "- [ ] ", "\u{B2}. ", "Home:",
    ]

    private mutating func title() -> String {
        guard hasMarks, random.below(3) > 0 else { return text(pieces: 6) }
        return Self.marks[random.below(Self.marks.count)] + text(pieces: 2)
    }

    private mutating func text(pieces count: Int) -> String {
        (0..<random.below(count)).map { _ in Self.pieces[random.below(Self.pieces.count)] }.joined()
    }

    private mutating func data() -> JSONValue? {
        guard random.below(3) > 0 else { return nil }
        if sharesData { return sharedData() }
        let value = JSONValue.random(using: &random)
        // A document's `null` means no data.
        if case .null = value { return nil }
        return value
    }

    /// Members as in `TaskData`, and some of another form.
    private mutating func sharedData() -> JSONValue {
        let members: [(String, JSONValue)] = [
            ("notes", .string(text(pieces: random.below(8) == 0 ? 800 : 9))),
            ("due", .string(SharedMembers.dues[random.below(SharedMembers.dues.count)].text)),
            ("labels", .array((0..<random.below(4)).map { _ in .string(text(pieces: 4)) })),
            ("priority", .number("\(random.below(5))")),
            ("url", .string(random.below(3) == 0 ? title() : "https://example.org/?a=1,2;b&c#é")),
            ("notes", .number("1")), ("labels", .string("a")), ("priority", .string("1")),
            ("other", .string(title())),
        ]
        // Each name once.
        var names: Set<String> = []
        return .object(
            members.shuffled(using: &random).prefix(random.below(6)).filter {
                names.insert($0.0).inserted
            }.map { (name: $0.0, value: $0.1) })
    }
}
