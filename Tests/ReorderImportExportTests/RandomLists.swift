import RandomRuns
import ReorderEngine

/// Random lists with all kinds of titles, nesting and data; the same seed gives the same lists.
struct RandomLists {
    private var random: SeededGenerator
    private var ids = 0
    /// The data of the last list's tasks.
    private(set) var dataByTask: [TaskID: JSONValue] = [:]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    private mutating func id(_ prefix: String) -> String {
        ids += 1
        return "\(prefix)\(ids)"
    }

    mutating func next() throws -> ReorderableList {
        dataByTask = [:]
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
                dataByTask[task] = data
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
        "\u{301}", "\u{200F}", "\u{FEFF}", "\u{2028}", "\u{85}", "\u{A0}", "=1+1", "@label", "a",
        "Milk", "ミルク", "牛奶", "우유", "молоко", "חלב", "حليب", "दूध", "นม", "👩‍👩‍👧", "é", "e\u{301}",
    ]

    private mutating func title() -> String {
        (0..<random.below(6)).map { _ in Self.pieces[random.below(Self.pieces.count)] }.joined()
    }

    private mutating func data() -> JSONValue? {
        guard random.below(3) > 0 else { return nil }
        let value = JSONValue.random(using: &random)
        // A document's `null` means no data.
        if case .null = value { return nil }
        return value
    }
}
