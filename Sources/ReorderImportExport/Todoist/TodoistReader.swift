import ReorderEngine
import ReorderJSON

/// Reads a CSV file of Todoist's templates and backups.
///
/// - A `section` row begins a section. A `task` row is a task with the level INDENT (from 1). If it
///   is more than one level deeper than the task above, it becomes a subtask of that task.
/// - A `note` row is a comment on the task above it. Empty rows are ignored.
/// - CONTENT is the title, with its `@labels`. The other columns go to the task's `data` (see
///   `TodoistData`).
/// - The delimiter is a comma, or a semicolon or tab, as some spreadsheets use.
///
/// Other content is left out and reported. A row whose columns are not certain is an error.
struct TodoistReader {
    private var builder: OutlineBuilder
    private var header = TodoistHeader()
    private var remarks = ImportRemarks()
    private var task: Task?

    /// A task that may still get notes.
    private struct Task {
        var row: TodoistRow
        var notes: [TodoistData.Note] = []
        var line: Int
    }

    /// Returns nil if the file is empty.
    static func read(
        _ bytes: [UInt8], title: String, makeID: @escaping () -> String
    ) throws(ImportError) -> ImportedList? {
        _ = try InputLines(bytes)
        var reader = TodoistReader(builder: OutlineBuilder(makeID: makeID))
        return try reader.read(InputLines.withoutByteOrderMark(bytes), title: title)
    }

    private init(builder: OutlineBuilder) {
        self.builder = builder
    }

    private mutating func read(
        _ bytes: ArraySlice<UInt8>, title: String
    ) throws(ImportError) -> ImportedList? {
        var records = CSVReader(bytes)
        guard let first = try records.next() else { return nil }
        header = try TodoistHeader(
            first.fields, delimiter: records.delimiter, line: first.line)
        while let (line, fields) = try records.next() {
            guard fields.contains(where: { !$0.trimmed.isEmpty }) else { continue }
            try read(try header.row(of: fields, line: line, &remarks), line: line)
        }
        endTask()
        return ImportedList(list: try builder.makeList(title: title), remarks: remarks.inLineOrder)
    }

    private mutating func read(_ row: TodoistRow, line: Int) throws(ImportError) {
        switch row[.type].trimmed.lowercased() {
        case "task":
            endTask()
            task = Task(row: row, line: line)
        case "note":
            guard !row[.content].isEmpty else {
                leaveOut(row, except: [.type], of: "a comment without a text", line: line)
                break
            }
            guard task != nil else {
                leaveOut("a comment without a task above it", line: line)
                break
            }
            task?.notes.append(TodoistData.Note(row: row, line: line))
            leaveOut(row, except: [.type] + TodoistData.noteColumns, of: "a comment", line: line)
        case "section":
            endTask()
            builder.beginSection(remarks.shorten(row[.content], line: line))
            leaveOut(
                row.withoutDefaults, except: [.type, .content], of: "a section", line: line)
        case "meta":
            leaveOut("the setting \(row[.content])", line: line)
        case let type:
            throw ImportError(
                line: line,
                reason: "The row's type is \"\(type.prefix(64))\"; "
                    + "it must be task, section, note or meta.")
        }
    }

    private mutating func endTask() {
        guard let task else { return }
        self.task = nil
        let line = task.line
        var row = task.row
        if !["", "1", "2", "3", "4"].contains(row[.priority].trimmed) {
            leaveOut(
                "the PRIORITY \"\(row[.priority].prefix(64))\", which is not 1 to 4", line: line)
            row[.priority] = ""
        }
        if row.isCollapsed == nil {
            leaveOut("the IS_COLLAPSED \"\(row[.isCollapsed].prefix(64))\"", line: line)
        }
        builder.addTask(
            remarks.shorten(row[.content], line: line), depth: depth(of: row, line: line),
            collapsed: row.isCollapsed == true,
            data: TodoistData.encode(row, notes: task.notes, line: line, &remarks))
    }

    private mutating func depth(of row: TodoistRow, line: Int) -> Int {
        let indent = Int(row[.indent].trimmed) ?? 1
        if indent < 1 { remarks.add(.changed, "an INDENT less than 1", lines: line...line) }
        let depth = remarks.limit(depth: max(indent, 1) - 1, line: line)
        guard depth > builder.deepest else { return depth }
        remarks.add(
            .changed, "an INDENT deeper than the task above allows", lines: line...line)
        return builder.deepest
    }

    private mutating func leaveOut(_ what: String, line: Int) {
        remarks.add(.leftOut, what, lines: line...line)
    }

    /// Reports the cells of a row in columns that its type does not use.
    private mutating func leaveOut(
        _ row: TodoistRow, except used: [TodoistColumn], of what: String, line: Int
    ) {
        let others = TodoistColumn.allCases.filter { !used.contains($0) && !row[$0].isEmpty }
        guard !others.isEmpty else { return }
        leaveOut("\(others.map(\.rawValue).joined(separator: ", ")) of \(what)", line: line)
    }
}
