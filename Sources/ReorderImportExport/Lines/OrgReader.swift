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
            guard let first = words.first?.uppercased(), words.count > 1,
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

    private static func words(_ line: some StringProtocol) -> [String] {
        line.utf8.split(whereSeparator: Byte.isBlank).map { String(decoding: $0, as: UTF8.self) }
    }

    private func keyword(_ heading: String) -> String? {
        let word = Self.words(heading.drop { $0 == "*" }).first ?? ""
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
        if isPlanning {
            planning(text, number)
        } else if let name = drawer {
            if text.uppercased() == ":END:" {
                drawer = nil
            } else if name == "PROPERTIES", text.uppercased().hasPrefix(":ID:") {
                let key = String(text.dropFirst(4)).trimmed
                if !list.withLastTask({ $0.set(.id, key, name: "ID") }) {
                    leaveOut("a property", number)
                }
            } else {
                leaveOut(name == "PROPERTIES" ? "a property" : "the drawer \(name)", number)
            }
        } else if text.count > 2, text.hasPrefix(":"), text.hasSuffix(":"), !text.contains(" ") {
            drawer = text.dropFirst().dropLast().uppercased()
            if drawer != "PROPERTIES" { leaveOut("the drawer \(drawer ?? "")", number) }
        } else if text.uppercased().hasPrefix("#+TITLE:"), !hasTitle {
            hasTitle = true
            list.title = String(text.dropFirst(8)).trimmed
        } else if text.hasPrefix("#+"), list.isEmpty {
            leaveOut("a setting", number)
        } else {
            list.addLine(line, number)
        }
    }

    private mutating func heading(_ line: String, _ stars: Int, _ number: Int) {
        var words = Self.words(line.dropFirst(stars))[...]
        var task = SourceTask(line: number)
        if let keyword = keyword(line) {
            words.removeFirst()
            task.done = closed.contains(keyword)
            if keyword != "TODO", keyword != "DONE" { task.addLabel(keyword) }
        }
        if let word = words.first, word.count == 4, word.hasPrefix("[#"), word.hasSuffix("]") {
            task.set(.priority, String(word.dropFirst(2).dropLast()), name: "priority")
            words.removeFirst()
        }
        if let word = words.last, word.count > 2, word.hasPrefix(":"), word.hasSuffix(":") {
            word.split(separator: ":").forEach { task.addLabel($0) }
            words.removeLast()
        }
        task.title = words.joined(separator: " ")
        guard hasSections, stars == 1 else {
            list.add(task, level: stars)
            return
        }
        if !task.labels.isEmpty || task.priority != nil || !task.notes.isEmpty {
            leaveOut("the tags and priority of a section", number)
        }
        list.beginSection(task.title, line: number)
    }

    /// Reads `DEADLINE: <2026-11-30 Mon 9:30 +1w>` and the like; `SCHEDULED` is the due date if there is
    /// no deadline. What is more than the date and time becomes a line of the notes.
    private mutating func planning(_ text: String, _ number: Int) {
        var parts: [String: Substring] = [:]
        var rest = text[...]
        while let colon = rest.firstIndex(of: ":"),
            let open = rest[colon...].firstIndex(where: { "<[".contains($0) }),
            rest[colon..<open].dropFirst().allSatisfy(\.isWhitespace),
            let end = rest[open...].firstIndex(where: { ">]".contains($0) })
        {
            parts[String(rest[..<colon]).trimmed] = rest[rest.index(after: open)..<end]
            rest = rest[rest.index(after: end)...]
        }
        let isTask = list.withLastTask { task in
            for kind in ["DEADLINE", "SCHEDULED"] {
                guard let words = parts[kind]?.split(separator: " ") else { continue }
                let clock = words.dropFirst().first { $0.contains(":") }
                let time = clock.map { " " + ($0.utf8.count == 4 ? "0" : "") + $0 } ?? ""
                let isComplete = words.dropFirst().allSatisfy { word in
                    word == clock || word.allSatisfy { $0.isLetter || $0 == "." }
                }
                if task.due.isEmpty, isComplete {
                    task.set(.due, (words.first ?? "") + time, name: kind)
                } else {
                    if task.due.isEmpty {
                        task.due = DueDate.parse((words.first ?? "") + time) ?? ""
                    }
                    task.addNote("\(kind): \(parts[kind] ?? "")")
                }
            }
        }
        let others = parts.keys.filter { !["DEADLINE", "SCHEDULED"].contains($0) }
        list.leftOut.add(properties: others, number...number)
        if !isTask || parts.isEmpty || !rest.allSatisfy(\.isWhitespace) {
            leaveOut("dates, or text after them", number)
        }
    }

    private mutating func leaveOut(_ what: String, _ number: Int) {
        list.leaveOut(what, number...number)
    }
}
