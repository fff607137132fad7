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
        for (index, line) in try InputLines(bytes).lines.enumerated() where !line.trimmed.isEmpty {
            reader.read(line, number: index + 1)
        }
        return try reader.list.makeList(makeID: makeID)
    }

    private mutating func read(_ line: ArraySlice<UInt8>, number: Int) {
        let indent = line.prefix(while: Byte.isBlank).reduce(0) { $0 + ($1 == Byte.tab ? 4 : 1) }
        let text = line.trimmed.text
        var task = SourceTask(line: number)
        if let rest = Self.afterMark(text) {
            task.title = takeTags(rest, of: &task)
        } else {
            let title = takeTags(text, of: &task)
            guard title.hasSuffix(":") else {
                if !list.withLastTask({ $0.addNote(text) }) {
                    list.leaveOut("text outside tasks", number...number)
                }
                return
            }
            task.title = String(title.dropLast())
            if indent == 0 {
                list.beginSection(task.title, line: number)
                if task.done || !task.labels.isEmpty || !task.due.isEmpty || task.priority != nil {
                    list.leaveOut("the tags of a project", number...number)
                }
                return
            }
        }
        list.add(task, level: indent)
    }

    private static func afterMark(_ text: String) -> String? {
        guard let mark = text.first, "-*+".contains(mark) else { return nil }
        let rest = text.dropFirst()
        return rest.isEmpty
            ? "" : rest.first == " " || rest.first == "\t" ? String(rest).trimmed : nil
    }

    /// The text without the tags at its end.
    private mutating func takeTags(_ text: String, of task: inout SourceTask) -> String {
        var words = Self.words(text)[...]
        var end = words.endIndex
        for index in words.indices.reversed() {
            guard Self.isTag(words[index]) else { break }
            end = index
        }
        for word in words where Self.isTag(word) {
            let tag = word.dropFirst()
            let name = tag.prefix { $0 != "(" }.lowercased()
            let value = String(tag.drop { $0 != "(" }.dropFirst().dropLast())
            switch name {
            case "done":
                task.done = true
                if !value.isEmpty { list.leaveOut("the date of completion", task.lines) }
            case "due" where task.due.isEmpty && DueDate.parse(value) != nil:
                task.due = DueDate.parse(value) ?? ""
            case "priority" where task.priority == nil && ["1", "2", "3"].contains(value):
                task.priority = Int(value)
            default: task.labels.append(String(tag))
            }
        }
        words = words[..<end]
        return words.joined(separator: " ")
    }

    private static func isTag(_ word: String) -> Bool { word.hasPrefix("@") && word.count > 1 }

    /// The words of a text; the value of a tag, in parentheses, can contain spaces.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        for word in text.split(separator: " ") {
            if let last = words.last, isTag(last), last.contains("("), !last.contains(")") {
                words[words.count - 1] = "\(last) \(word)"
            } else {
                words.append(String(word))
            }
        }
        return words
    }
}
