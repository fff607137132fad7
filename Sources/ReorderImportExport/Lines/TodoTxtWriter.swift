import ReorderEngine
import ReorderJSON

/// Writes a list as todo.txt: each task is a line.
///
/// A section is the project of its tasks (`+Work`), labels are contexts (`@phone`), and subtasks
/// refer to their task as in topydo (`id:1`, `p:1`).
enum TodoTxtWriter {
    static func write(_ list: ReorderableList) -> [UInt8] {
        var text = ""
        var project = ""
        // The numbers of the tasks with subtasks.
        var numbers: [TaskID: Int] = [:]
        list.forEachLine { line in
            switch line {
            case .section(let section): project = TodoTxtWord.label(section.title, mark: "+")
            case .task(let task):
                if task.subtasks > 0 { numbers[task.id] = numbers.count + 1 }
                var words = Self.words(of: task, project: project)
                if let number = numbers[task.id] { words.append("id:\(number)") }
                if let number = task.placement.parent.flatMap({ numbers[$0] }) {
                    words.append("p:\(number)")
                }
                text += words.joined(separator: " ") + "\n"
            }
        }
        return Array(text.utf8)
    }

    private static func words(of task: ListTask, project: String) -> [String] {
        let source = SourceTask(task.content)
        let priority = source.priority.map { ["A", "B", "C"][$0 - 1] }
        var words: [String] = []
        if source.done {
            words.append("x")
            if let time = task.content.stamps.completedAt {
                var writer = JSONWriter()
                writer.time(milliseconds: time)
                words.append(writer.bytes[1..<11].text)
            }
        } else if let priority {
            words.append("(\(priority))")
        }
        var labels = source.labels.map { TodoTxtWord.label($0, mark: "@") }
        if !project.isEmpty { labels.append(project) }
        let title = TodoTxtWord.split(source.title)
        let last = title.lastIndex { !labels.contains($0) } ?? 0
        for (index, word) in title.enumerated() {
            // A label inside the title stays there.
            let isLabel = index < last && labels.contains(word)
            words.append(isLabel ? word : TodoTxtWord.escape(word, isFirst: index == 0))
            if isLabel { labels.removeAll { $0 == word } }
        }
        words += labels
        if !source.due.isEmpty { words.append("due:\(source.due.prefix(10))") }
        if source.done, let priority { words.append("pri:\(priority)") }
        return words
    }
}

/// The words of a line of todo.txt, between spaces. A backslash before a word of a title that would
/// have a meaning makes it plain text; todo.txt itself has nothing for this.
enum TodoTxtWord {
    /// The words of a title, at least one. Line ends and tabs are spaces.
    static func split(_ title: String) -> [String] {
        var line = ""
        for scalar in title.unicodeScalars {
            let isSpace = ["\t", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar)
            line.unicodeScalars.append(isSpace ? " " : scalar)
        }
        return line.trimmed.words
    }

    static func isLabel(_ word: String) -> Bool {
        word.utf8.count > 1 && (word.utf8.first.map { "+@".utf8.contains($0) } ?? false)
    }

    /// A text as a word with a mark, unless it has one; empty if there is nothing after it.
    static func label(_ text: String, mark: String) -> String {
        let word = split(text.withoutControls).joined(separator: "_")
        return word.isEmpty || isLabel(word) ? word : mark + word
    }

    static func escape(_ word: String, isFirst: Bool) -> String {
        hasMeaning(word, isFirst: isFirst) ? "\\" + word : word
    }

    static func unescape(_ word: String, isFirst: Bool) -> String {
        guard word.utf8.first == Byte.backslash else { return word }
        let rest = String(decoding: word.utf8.dropFirst(), as: UTF8.self)
        return hasMeaning(rest, isFirst: isFirst) ? rest : word
    }

    /// Whether the file could be recognized as one of another format by a line with this word at its
    /// start.
    private static func beginsOther(_ word: String) -> Bool {
        guard let first = word.utf8.first else { return false }
        let marks = [":PROPERTIES:", "#+TITLE:", "BEGIN:VCALENDAR", "BEGIN:VTODO"]
        return ["-", "+"].contains(word) || "{[<".utf8.contains(first)
            || word.utf8.allSatisfy { $0 == UInt8(ascii: "*") }
            || word.utf8.allSatisfy { $0 == Byte.numberSign }
            || word.utf8.count == 2 && word.utf8.last == UInt8(ascii: ".") && Byte.isDigit(first)
            || marks.contains { word.uppercased().utf8.starts(with: $0.utf8) }
    }

    /// Whether a word has a meaning, also after backslashes.
    private static func hasMeaning(_ word: String, isFirst: Bool) -> Bool {
        let word = String(decoding: word.utf8.drop { $0 == Byte.backslash }, as: UTF8.self)
        let marks = ["due:", "pri:", "id:", "p:"]
        if isLabel(word) || marks.contains(where: { word.utf8.starts(with: $0.utf8) }) {
            return true
        }
        guard isFirst else { return false }
        return ["", "x"].contains(word) || beginsOther(word)
            || word.utf8.starts(with: "\u{FEFF}".utf8)
            || word.utf8.count == 3 && word.hasPrefix("(") && word.hasSuffix(")")
            || word.utf8.count == 10 && DueDate.parse(word) != nil
    }
}
