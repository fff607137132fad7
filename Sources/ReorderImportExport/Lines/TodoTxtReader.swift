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
        let lines = try InputLines(bytes).lines.map { TodoTxtWord.words($0.trimmed.text) }
        let parents = references("p:", lines).intersection(references("id:", lines))
        for (index, words) in lines.enumerated() where words != [""] {
            list.add(task(words, line: index + 1, parents, &list.remarks))
        }
        return try list.makeList(makeID: makeID)
    }

    /// The values of words with a key.
    private static func references(_ key: String, _ lines: [[String]]) -> Set<String> {
        Set(
            lines.joined().lazy.filter { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) }
        )
    }

    /// - Parameter parents: the values of `id:` and `p:` that both occur.
    private static func task(
        _ words: [String], line: Int, _ parents: Set<String>, _ remarks: inout ImportRemarks
    ) -> SourceTask {
        var words = words[...]
        var task = SourceTask(line: line)
        if words.count > 1, words.first == "x" {
            task.done = true
            words.removeFirst()
        }
        var dates = 0
        while let word = words.first, words.count > 1 {
            if task.priority == nil, let priority = priority(word) {
                task.priority = priority.value
                report(priority, line, &remarks)
            } else if dates < 2, word.utf8.count == 10, DueDate.parse(String(word)) != nil {
                dates += 1
                remarks.add(
                    .leftOut, "the date of creation or completion", lines: line...line)
            } else {
                break
            }
            words.removeFirst()
        }
        words =
            words.filter { word in
                if word.hasPrefix("id:"), task.key == nil,
                    parents.contains(String(word.dropFirst(3)))
                {
                    task.key = String(word.dropFirst(3))
                    return false
                }
                if word.hasPrefix("p:"), task.parent == nil,
                    parents.contains(String(word.dropFirst(2)))
                {
                    task.parent = String(word.dropFirst(2))
                    return false
                }
                if word.hasPrefix("due:"), task.due.isEmpty,
                    let due = DueDate.parse(String(word.dropFirst(4)))
                {
                    task.due = due
                    return false
                }
                if word.hasPrefix("pri:"), task.priority == nil,
                    let priority = priority("(\(word.dropFirst(4)))")
                {
                    task.priority = priority.value
                    report(priority, line, &remarks)
                    return false
                }
                return true
            }[...]
        task.labels = words.filter(TodoTxtWord.isLabel)
        while let last = words.last, last.isEmpty || TodoTxtWord.isLabel(last) {
            words.removeLast()
        }
        task.title = words.enumerated().map { TodoTxtWord.unescape($1, isFirst: $0 == 0) }
            .joined(separator: " ")
        return task
    }

    /// The priority of a word such as `(A)`. All after C are 3.
    private static func priority(_ word: some StringProtocol) -> (value: Int, isExact: Bool)? {
        let bytes = Array(word.utf8)
        guard bytes.count == 3, bytes[0] == UInt8(ascii: "("), bytes[2] == UInt8(ascii: ")"),
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[1])
        else { return nil }
        let value = Int(bytes[1] - UInt8(ascii: "A")) + 1
        return (min(value, 3), value <= 3)
    }

    private static func report(
        _ priority: (value: Int, isExact: Bool), _ line: Int, _ remarks: inout ImportRemarks
    ) {
        if !priority.isExact {
            remarks.add(.changed, "a priority after C, to 3", lines: line...line)
        }
    }
}
