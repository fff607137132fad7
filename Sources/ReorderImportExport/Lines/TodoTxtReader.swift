/// Reads todo.txt: each line is a task (https://github.com/todotxt/todo.txt).
///
/// - `x ` at the start means done. Priorities A, B and C are 1, 2 and 3.
/// - Words with `+` and `@` are labels. Those at the end are not part of the title.
/// - `due:2026-11-30` and `pri:A` are read, and `id:1` with `p:1` if both are there; other words
///   with a colon stay in the title.
enum TodoTxtReader {
    static func read(
        _ bytes: [UInt8], untitled: String, makeID: @escaping () -> String
    ) throws(ImportError) -> ImportedList? {
        var list = SourceList(title: untitled)
        let lines = try InputLines(bytes).lines.map { $0.trimmed.text.words }
        let parents = values(of: "p:", lines).intersection(values(of: "id:", lines))
        for (index, words) in lines.enumerated() where words != [""] && !words.isEmpty {
            list.add(task(words, line: index + 1, parents))
        }
        return try list.makeList(makeID: makeID)
    }

    /// The values of words with a key.
    private static func values(of key: String, _ lines: [[String]]) -> Set<String> {
        Set(
            lines.joined().lazy.filter { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) }
        )
    }

    /// - Parameter parents: the values of `id:` and `p:` that both occur.
    private static func task(_ words: [String], line: Int, _ parents: Set<String>) -> SourceTask {
        var words = words[...]
        var task = SourceTask(line: line)
        if words.count > 1, words.first == "x" {
            task.done = true
            words.removeFirst()
        }
        var dates = 0
        while let word = words.first, words.count > 1 {
            // Some programs write the priority of a done task after the date.
            if dates == 0 || task.done, task.priority == nil, let letter = priority(word) {
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
            let value = String(word.drop { $0 != ":" }.dropFirst())
            if word.hasPrefix("id:"), task.key == nil, parents.contains(value) {
                task.key = value
            } else if word.hasPrefix("p:"), task.parent == nil, parents.contains(value) {
                task.parent = value
            } else if word.hasPrefix("due:"), task.due.isEmpty, let due = DueDate.parse(value) {
                task.due = due
            } else if word.hasPrefix("pri:"), task.priority == nil,
                let letter = priority("(\(value))")
            {
                task.set(.priority, letter, name: "pri")
            } else {
                return false
            }
            return true
        }
        words.filter(TodoTxtWord.isLabel).forEach { task.addLabel($0) }
        let title = Array(words).joined(untilLast: TodoTxtWord.isLabel)
        task.title = title.words.enumerated()
            .map { TodoTxtWord.unescape($1, isFirst: $0 == 0) }.joined(separator: " ")
        return task
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
