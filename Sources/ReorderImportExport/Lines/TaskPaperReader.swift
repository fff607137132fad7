/// Reads TaskPaper: lines that begin with `- ` are tasks, lines that end with a colon are projects,
/// others are notes of the task above. Indentation nests.
///
/// Projects that are not indented are sections, others are tasks. `@done`, `@due(2026-11-30)` and
/// `@priority(1)` are read; other tags are labels. Those at the end are not part of the title.
struct TaskPaperReader {
    private var list: SourceList

    static func read(
        _ bytes: [UInt8], untitled: String, makeID: @escaping () -> String
    ) throws(ImportError) -> ImportedList? {
        var reader = TaskPaperReader(list: SourceList(title: untitled))
        for (index, line) in try InputLines(bytes).lines.enumerated() {
            reader.read(line, number: index + 1)
        }
        return try reader.list.makeList(makeID: makeID)
    }

    private mutating func read(_ line: ArraySlice<UInt8>, number: Int) {
        let indent = line.prefix(while: Byte.isBlank).reduce(0) { $0 + ($1 == Byte.tab ? 4 : 1) }
        let text = line.trimmed.text
        var task = SourceTask(line: number)
        let mark = text.prefix { "-*+".contains($0) }
        if mark.count == 1,
            text.utf8.count == 1 || text.utf8.dropFirst().first.map(Byte.isBlank) == true
        {
            takeTitle(String(text.dropFirst()).trimmed, of: &task)
            list.add(task, level: indent)
            return
        }
        takeTitle(text, of: &task)
        guard task.title.hasSuffix(":") else {
            return list.addLine(line.text, number)
        }
        task.title = String(task.title.dropLast())
        guard indent == 0 else {
            list.add(task, level: indent)
            return
        }
        list.beginSection(task.title, line: number)
        var remarks = ImportRemarks()
        if task.done || task.data(&remarks) != nil {
            list.leaveOut("the tags of a project", number...number)
        }
    }

    /// Sets the title to the text without the tags at its end.
    private func takeTitle(_ text: String, of task: inout SourceTask) {
        // The value of a tag, in parentheses, can contain spaces, and parentheses after backslashes.
        var words: [String] = []
        for word in text.words {
            if let last = words.last, Self.isTag(last), last.contains("("),
                !last.replacing("\\)", with: "").contains(")")
            {
                words[words.count - 1] = "\(last) \(word)"
            } else {
                words.append(word)
            }
        }
        let roles: [String: TableRole] = ["done": .done, "due": .due, "priority": .priority]
        for word in words where Self.isTag(word) {
            let tag = word.dropFirst()
            let name = tag.prefix { $0 != "(" }.lowercased()
            let value = String(
                tag.drop { $0 != "(" }.dropFirst().dropLast(tag.hasSuffix(")") ? 1 : 0))
            if let role = roles[name] {
                task.set(role, role == .done && value.isEmpty ? "true" : value, name: name)
            } else {
                task.addLabel(tag)
            }
        }
        task.title = words.joined(untilLast: Self.isTag)
    }

    private static func isTag(_ word: String) -> Bool { word.hasPrefix("@") && word.count > 1 }
}
