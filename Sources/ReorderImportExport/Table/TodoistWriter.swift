import ReorderEngine

/// Writes a list as Todoist's CSV.
///
/// Todoist has no column for `done` and `url`: all tasks are written as open, and without URLs. It
/// supports four levels of tasks, but deeper ones are written too. A label without spaces is written
/// into the title; others are left out.
enum TodoistWriter {
    private static let header = [
        "TYPE", "CONTENT", "DESCRIPTION", "IS_COLLAPSED", "PRIORITY", "INDENT", "AUTHOR",
        "RESPONSIBLE", "DATE", "DATE_LANG", "TIMEZONE", "DURATION", "DURATION_UNIT", "DEADLINE",
        "DEADLINE_LANG",
    ]

    static func write(_ list: ReorderableList) -> [UInt8] {
        var csv = CSVWriter()
        csv.record(header)
        list.forEachLine { line in
            let cells: [String: String]
            switch line {
            case .section(let section):
                cells = ["TYPE": "section", "CONTENT": section.title, "IS_COLLAPSED": "False"]
            case .task(let task):
                let source = SourceTask(task.content)
                cells = [
                    "TYPE": "task", "CONTENT": content(task.content.title, source.labels),
                    "DESCRIPTION": source.notes,
                    "IS_COLLAPSED": task.content.collapsed ? "True" : "",
                    "PRIORITY": "\(source.priority ?? 4)", "INDENT": "\(task.depth + 1)",
                    "DATE": source.due,
                ]
            }
            csv.record(header.map { cells[$0] ?? "" })
        }
        return csv.bytes
    }

    /// The title, with the labels that it does not contain.
    private static func content(_ title: String, _ labels: [String]) -> String {
        let labels = labels.filter { $0.words.count == 1 }.map { "@\($0)" }
            .filter { !title.words.contains($0) }
        return ((title.isEmpty ? [] : [title]) + labels).joined(separator: " ")
    }
}
