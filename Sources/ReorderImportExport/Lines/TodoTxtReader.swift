/// Reads todo.txt: each line is a task (https://github.com/todotxt/todo.txt).
///
/// - `x ` at the start means done. Priorities A, B and C are 1, 2 and 3.
/// - Words with `+` and `@` are labels. Those at the end are not part of the title.
/// - `due:2026-11-30` and `pri:A` are read; other words with a colon stay in the title.
enum TodoTxtReader {
    static func read(
        _ bytes: [UInt8], untitled: String, makeID: @escaping () -> String
    ) throws(ImportError) -> ImportedList? {
        var list = SourceList(title: untitled)
        for (index, line) in try InputLines(bytes).lines.enumerated() where !line.trimmed.isEmpty {
            list.add(task(line.trimmed.text.words, line: index + 1))
        }
        return try list.makeList(makeID: makeID)
    }

    private static func task(_ words: [String], line: Int) -> SourceTask {
        var words = words[...]
        var task = SourceTask(line: line)
        if words.count > 1, words.first == "x" {
            task.done = true
            words.removeFirst()
        }
        var dates = 0
        while let word = words.first, words.count > 1 {
            if dates == 0, task.priority == nil, let letter = priority(word) {
                task.set(.priority, letter, name: "priority")
            } else if dates < 2, word.utf8.count == 10, DueDate.parse(word) != nil {
                dates += 1
                task.leftOut.append("the dates of creation or completion")
            } else {
                break
            }
            words.removeFirst()
        }
        words.removeAll { word in
            if word.hasPrefix("due:"), task.due.isEmpty,
                let due = DueDate.parse(String(word.dropFirst(4)))
            {
                task.due = due
                return true
            }
            guard word.hasPrefix("pri:"), task.priority == nil,
                let letter = priority("(\(word.dropFirst(4)))")
            else { return false }
            task.set(.priority, letter, name: "pri")
            return true
        }
        words.filter(isLabel).forEach { task.addLabel($0) }
        task.title = Array(words).joined(untilLast: isLabel)
        return task
    }

    private static func isLabel(_ word: String) -> Bool {
        word.utf8.count > 1 && word.utf8.first.map { "+@".utf8.contains($0) } == true
    }

    /// The letter of a word such as `(A)`.
    private static func priority(_ word: String) -> String? {
        let bytes = Array(word.utf8)
        guard bytes.count == 3, bytes[0] == UInt8(ascii: "("), bytes[2] == UInt8(ascii: ")"),
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[1])
        else { return nil }
        return bytes[1...1].text
    }
}
