import ReorderEngine

/// Writes a list as Todoist's CSV.
///
/// Todoist has no column for `done`: all tasks are written as open. It supports four levels of
/// tasks, but deeper ones are written too.
enum TodoistWriter {
    static func write(_ list: ReorderableList) -> [UInt8] {
        var csv = CSVWriter()
        csv.record(TodoistColumn.allCases.map(\.rawValue))
        list.forEachLine { line in
            switch line {
            case .section(let section): csv.section(section)
            case .task(let task): csv.task(task)
            }
        }
        return csv.bytes
    }
}

extension CSVWriter {
    fileprivate mutating func section(_ section: ListSection) {
        var row = TodoistRow()
        row[.type] = "section"
        row[.content] = section.title
        row[.isCollapsed] = "False"
        record(row.fields)
    }

    fileprivate mutating func task(_ task: ListTask) {
        var row = TodoistRow()
        row[.priority] = TodoistRow.noPriority
        let notes = task.content.data.map { TodoistData.decode($0, into: &row) } ?? []
        row[.type] = "task"
        row[.content] = task.content.title
        row[.indent] = String(task.depth + 1)
        if task.content.collapsed { row[.isCollapsed] = "True" }
        record(row.fields)
        for note in notes {
            var note = note
            note[.type] = "note"
            record(note.fields)
        }
    }
}
