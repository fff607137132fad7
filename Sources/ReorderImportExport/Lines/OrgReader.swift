/// Reads headings of Org files, each as a task; the stars are its level.
///
/// - If no heading with one star has a keyword, and other headings follow, these are sections.
/// - `DONE` and similar keywords mean done; keywords other than `TODO` and `DONE` are labels, too.
///   A line `#+TODO:` adds keywords.
/// - `[#A]` to `[#C]` are priorities 1 to 3, `:tags:` labels, `DEADLINE` or else `SCHEDULED` the due
///   date, `ID` in the properties the id, and the text below a heading its notes.
struct OrgReader {
    private var list: SourceList
    private var open: Set<String> = [
        "TODO", "NEXT", "WAITING", "WAIT", "HOLD", "STARTED", "SOMEDAY",
    ]
    private var closed: Set<String> = ["DONE", "CANCELLED", "CANCELED"]
    private var hasSections = false
    private var hasTitle = false
    private var drawer: String?
    /// Whether the line follows a heading, where a planning line can be.
    private var followsHeading = false

    static func read(
        _ bytes: [UInt8], untitled: String, makeID: @escaping () -> String
    ) throws(ImportError) -> ImportedList? {
        let lines = try InputLines(bytes).lines
        var reader = OrgReader(list: SourceList(title: untitled))
        reader.readSettings(lines)
        for (index, line) in lines.enumerated() { reader.read(line.text, number: index + 1) }
        return try reader.list.makeList(makeID: makeID)
    }

    private init(list: SourceList) { self.list = list }

    private static func stars(_ line: some StringProtocol) -> Int? {
        let count = line.utf8.prefix { $0 == UInt8(ascii: "*") }.count
        let rest = line.utf8.dropFirst(count)
        return count > 0 && (rest.first == Byte.space || rest.first == Byte.tab) ? count : nil
    }

    private mutating func readSettings(_ lines: [ArraySlice<UInt8>]) {
        for line in lines.map(\.text) {
            let words = line.split(separator: " ").map(String.init)
            guard let first = words.first?.uppercased(),
                ["#+TODO:", "#+SEQ_TODO:", "#+TYP_TODO:"].contains(first)
            else { continue }
            let names = words.dropFirst().map { String($0.prefix { $0 != "(" }) }
            let bar = names.firstIndex(of: "|") ?? names.endIndex - 1
            open.formUnion(names[..<bar])
            closed.formUnion(names[bar...])
        }
        let levels = lines.compactMap { line in
            Self.stars(line.text).map { (level: $0, keyword: keyword(line.text)) }
        }
        hasSections =
            levels.contains { $0.level > 1 }
            && levels.allSatisfy { $0.level > 1 || $0.keyword == nil }
    }

    private func keyword(_ heading: String) -> String? {
        let word = heading.drop { $0 == "*" }.split(separator: " ").first.map(String.init) ?? ""
        return open.contains(word) || closed.contains(word) ? word : nil
    }

    private mutating func read(_ line: String, number: Int) {
        if let stars = Self.stars(line) {
            drawer = nil
            followsHeading = true
            return heading(line, stars, number)
        }
        let text = line.trimmed
        let isPlanning =
            followsHeading
            && ["DEADLINE:", "SCHEDULED:", "CLOSED:"].contains { text.hasPrefix($0) }
        followsHeading = false
        if isPlanning { return planning(text, number) }
        if let name = drawer {
            if text.uppercased() == ":END:" {
                drawer = nil
            } else if name == "PROPERTIES", text.uppercased().hasPrefix(":ID:") {
                let key = String(text.dropFirst(4)).trimmed
                if !list.withLastTask({ $0.key = key }) { leaveOut("a property", number) }
            } else {
                leaveOut(name == "PROPERTIES" ? "a property" : "the drawer \(name)", number)
            }
        } else if text.count > 2, text.hasPrefix(":"), text.hasSuffix(":"), !text.contains(" ") {
            drawer = text.dropFirst().dropLast().uppercased()
            if drawer != "PROPERTIES" { leaveOut("the drawer \(drawer ?? "")", number) }
        } else if text.uppercased().hasPrefix("#+TITLE:"), !hasTitle {
            hasTitle = true
            list.title = String(text.dropFirst(8)).trimmed
        } else if !list.withLastTask({ $0.addNote(text) }), !text.isEmpty {
            leaveOut(text.hasPrefix("#") ? "a setting" : "text outside tasks", number)
        }
    }

    private mutating func heading(_ line: String, _ stars: Int, _ number: Int) {
        var words = line.dropFirst(stars).split(separator: " ").map(String.init)[...]
        var task = SourceTask(line: number)
        if let keyword = keyword(line) {
            words.removeFirst()
            task.done = closed.contains(keyword)
            if keyword != "TODO", keyword != "DONE" { task.labels.append(keyword) }
        }
        if let word = words.first, word.count == 4, word.hasPrefix("[#"), word.hasSuffix("]") {
            task.priority =
                ["A": 1, "B": 2, "C": 3, "1": 1, "2": 2, "3": 3][word.dropFirst(2).dropLast()]
            if task.priority != nil { words.removeFirst() }
        }
        if let word = words.last, word.count > 2, word.hasPrefix(":"), word.hasSuffix(":") {
            task.labels += word.split(separator: ":").map(String.init)
            words.removeLast()
        }
        task.title = words.joined(separator: " ")
        guard hasSections, stars == 1 else {
            list.add(task, level: stars)
            return
        }
        if !task.labels.isEmpty || task.priority != nil {
            leaveOut("the tags and priority of a section", number)
        }
        list.beginSection(task.title, line: number)
    }

    private mutating func planning(_ text: String, _ number: Int) {
        var dates: [String: String] = [:]
        if Self.hasMore(text) { leaveOut("text after the dates", number) }
        for kind in ["DEADLINE", "SCHEDULED"] {
            guard let start = text.range(of: "\(kind):") else { continue }
            let rest = text[start.upperBound...].drop { $0 == " " }.dropFirst()
            let words = rest.prefix { $0 != ">" && $0 != "]" }.split(separator: " ")
            let time = words.dropFirst().first { $0.contains(":") }?.prefix { $0 != "-" }
            let clock = time.map { $0.utf8.count == 4 ? "0\($0)" : String($0) }
            let date = (words.first.map { [String($0)] } ?? []) + (clock.map { [$0] } ?? [])
            dates[kind] = DueDate.parse(date.joined(separator: " "))
            if dates[kind] == nil
                || words.contains(where: { $0.hasPrefix("+") || $0.hasPrefix(".+") })
            {
                leaveOut("the repetition, or the date, of \(kind)", number)
            }
        }
        let due = dates["DEADLINE"] ?? dates["SCHEDULED"]
        let isTask = list.withLastTask { $0.due = due ?? "" }
        if !isTask || dates.count > 1 { leaveOut("SCHEDULED", number) }
        if text.contains("CLOSED:") { leaveOut("CLOSED", number) }
    }

    /// Whether a planning line has more than kinds and dates.
    private static func hasMore(_ text: String) -> Bool {
        text.split(separator: "<").flatMap { $0.split(separator: "[") }
            .contains { part in
                let rest = part.drop { $0 != ">" && $0 != "]" }.dropFirst()
                let words = (rest.isEmpty && !part.contains { ">]".contains($0) } ? part : rest)
                    .split(separator: " ")
                return words.contains { !["DEADLINE:", "SCHEDULED:", "CLOSED:"].contains($0) }
            }
    }

    private mutating func leaveOut(_ what: String, _ number: Int) {
        list.leaveOut(what, number...number)
    }
}
