import RandomRuns
import ReorderEngine

/// Random lists with all kinds of titles, nesting and data; the same seed gives the same lists.
struct RandomLists {
    private var random: SeededGenerator
    private var ids = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    private mutating func id(_ prefix: String) -> String {
        ids += 1
        return "\(prefix)\(ids)"
    }

    mutating func next() throws -> ReorderableList {
        let sections = (0..<random.below(4)).map { _ in (id: id("s"), title: title()) }
        var tasks: [ReorderableList.Entry] = []
        for section in [nil] + sections.map(\.id) {
            var path: [TaskID] = []
            for _ in 0..<random.below(12) {
                // Mostly one level deeper or the same, so that all levels occur.
                let depth = random.below(3) == 0 ? random.below(path.count + 1) : path.count
                path = Array(path.prefix(min(depth, ReorderableList.maximumLevels - 1)))
                let task = id("t")
                tasks.append(
                    ReorderableList.Entry(
                        content: TaskContent(
                            id: task, title: title(), collapsed: random.below(4) == 0,
                            locked: random.below(4) == 0, done: random.below(3) == 0, data: data()),
                        section: section, parent: path.last))
                path.append(task)
            }
        }
        return try ReorderableList(
            settings: ListSettings(title: title(), elementsOffset: random.below(3)),
            sections: sections,
            tasks: tasks)
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

    private static let data: [String?] = [
        nil, nil, #"{"description":"two, \"of\" them\nhere"}"#, #"{"priority":1}"#,
        #"{"description":" x","priority":3,"author":"A (1)","responsible":"B (2)","#
            + #""date":"every day","date_lang":"en","timezone":"Europe/Berlin","duration":30,"#
            + #""duration_unit":"minute","deadline":"2026-01-08","deadline_lang":"en","#
            + #""notes":[{"content":"n, 1","author":"A (1)","date":"2026"},{"content":"ü\n"}]}"#,
    ]

    private mutating func data() -> String? { Self.data[random.below(Self.data.count)] }
}
