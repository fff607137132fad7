import ReorderEngine
import ReorderJSON

/// Reads a CSV file of Todoist's templates and backups.
///
/// - A `section` row begins a section. A `task` row is a task with the level INDENT (from 1). If it
///   is more than one level deeper than the task above, it becomes a subtask of that task, and this
///   is reported.
/// - A `note` row belongs to the task above it. `meta` rows are left out, and empty rows are ignored.
/// - CONTENT is the title, with its `@labels`. The other columns go to the task's `data` (see
///   `TodoistData`). Unknown columns are skipped.
/// - The delimiter is a comma, or a semicolon or tab, as some spreadsheets use.
struct TodoistReader {
    private var builder: OutlineBuilder
    private var columns: [TodoistColumn?] = []
    private var remarks = ImportRemarks()
    private var task: Task?

    /// A task that may still get notes.
    private struct Task {
        var row: TodoistRow
        var notes: [TodoistRow] = []
        var depth: Int
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
        var records = CSVReader(bytes, delimiter: Self.delimiter(of: bytes))
        guard let header = try records.next() else { return nil }
        try readHeader(header.fields, line: header.line)
        while let (line, fields) = try records.next() {
            try read(fields, line: line)
        }
        try endTask()
        return ImportedList(list: try builder.makeList(title: title), remarks: remarks.inLineOrder)
    }

    /// The character after the first column's name.
    private static func delimiter(of bytes: ArraySlice<UInt8>) -> UInt8 {
        let line = bytes.prefix { $0 != Byte.lineFeed && $0 != Byte.carriageReturn }
        return line.first { ",;\t".utf8.contains($0) } ?? UInt8(ascii: ",")
    }

    private mutating func readHeader(_ fields: [String], line: Int) throws(ImportError) {
        columns = fields.map { TodoistColumn(rawValue: $0.uppercased()) }
        for column in [TodoistColumn.type, .content] where !columns.contains(column) {
            throw ImportError(
                line: line,
                reason: "The first row must name Todoist's columns; \(column.rawValue) is missing.")
        }
        for column in TodoistColumn.allCases where columns.count(where: { $0 == column }) > 1 {
            throw ImportError(line: line, reason: "The column \(column.rawValue) occurs twice.")
        }
        let unknown = zip(fields, columns).filter { $1 == nil && !$0.isEmpty }.map(\.0)
        if !unknown.isEmpty {
            leaveOut("the columns \(unknown.joined(separator: ", "))", line: line)
        }
    }

    private mutating func read(_ fields: [String], line: Int) throws(ImportError) {
        guard fields.contains(where: { !$0.isEmpty }) else { return }
        guard fields.count <= columns.count else {
            throw ImportError(
                line: line,
                reason:
                    "The row has \(fields.count) fields, but the first row has \(columns.count).")
        }
        var row = TodoistRow()
        for (column, field) in zip(columns, fields) {
            if let column { row[column] = field }
        }
        switch row[.type] {
        case "task":
            try endTask()
            try begin(row, line: line)
        case "note":
            if row[.content].isEmpty { break }
            if task == nil {
                leaveOut("a note without a task above it", line: line)
            } else {
                task?.notes.append(row)
            }
        case "section":
            try endTask()
            builder.beginSection(remarks.shorten(row[.content], line: line))
            if !row[.description].isEmpty { leaveOut("a section's description", line: line) }
        case "meta": leaveOut("the setting \(row[.content])", line: line)
        case let type:
            throw ImportError(
                line: line,
                reason: "The row's type is \"\(type.prefix(64))\"; "
                    + "it must be task, section, note or meta.")
        }
    }

    private mutating func begin(_ row: TodoistRow, line: Int) throws(ImportError) {
        guard ["", "1", "2", "3", "4"].contains(row[.priority]) else {
            throw ImportError(line: line, reason: "The priority must be 1, 2, 3 or 4.")
        }
        guard let indent = row[.indent].isEmpty ? 1 : Int(row[.indent]), indent >= 1 else {
            throw ImportError(line: line, reason: "The indent must be a number, at least 1.")
        }
        let limited = remarks.limit(depth: indent - 1, line: line)
        let depth = min(limited, builder.deepest)
        if depth < limited {
            remarks.add(
                .changed, "an INDENT deeper than the task above allows", lines: line...line)
        }
        task = Task(row: row, depth: depth, line: line)
    }

    private mutating func endTask() throws(ImportError) {
        guard let task else { return }
        self.task = nil
        let data = TodoistData.encode(task.row, notes: task.notes)
        guard data.map({ $0.utf8.count <= FormLimits.dataBytes }) ?? true else {
            throw ImportError(
                line: task.line,
                reason: "The task's description, notes and dates together have more than "
                    + "\(FormLimits.dataBytes) bytes.")
        }
        builder.addTask(
            remarks.shorten(task.row[.content], line: task.line), depth: task.depth,
            collapsed: task.row[.isCollapsed].lowercased() == "true", data: data)
    }

    private mutating func leaveOut(_ what: String, line: Int) {
        remarks.add(.leftOut, what, lines: line...line)
    }
}
