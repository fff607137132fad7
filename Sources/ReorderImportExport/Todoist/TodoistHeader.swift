/// The first row of Todoist's CSV, which names the columns.
struct TodoistHeader {
    private var names: [String] = []
    private var columns: [TodoistColumn?] = []
    private var content = 0
    private var delimiter = ","

    /// The maximum number of fields that are added to CONTENT.
    private static let maximumJoins = 64

    init() {}

    init(_ fields: [String], delimiter: UInt8, line: Int) throws(ImportError) {
        self.delimiter = [delimiter][...].text
        names = fields.map(\.trimmed)
        columns = names.map { TodoistColumn(rawValue: $0.uppercased()) }
        for column in [TodoistColumn.type, .content] where !columns.contains(column) {
            throw ImportError(
                line: line,
                reason: "The first row must name Todoist's columns; \(column.rawValue) is missing.")
        }
        for column in TodoistColumn.allCases where columns.count(where: { $0 == column }) > 1 {
            throw ImportError(line: line, reason: "The column \(column.rawValue) occurs twice.")
        }
        content = columns.firstIndex(of: .content) ?? 0
    }

    /// The cells of a row by their columns.
    ///
    /// If the row has surplus fields, CONTENT may have delimiters without quotes, so that the
    /// fields are not those of their columns. A row that does not fit the columns for this reason
    /// is an error. But if PRIORITY or INDENT is the column after CONTENT, fields are joined until
    /// the row fits. Surplus fields that are empty are ignored.
    func row(
        of fields: [String], line: Int, _ remarks: inout ImportRemarks
    ) throws(ImportError) -> TodoistRow {
        var fields = fields
        if fields.count > columns.count, !fits(fields) {
            guard let joined = joiningContent(of: fields) else {
                throw ImportError(
                    line: line,
                    reason:
                        "The row has \(fields.count) fields, but the first row has "
                        + "\(columns.count). A field that contains the delimiter must be in quotes."
                )
            }
            fields = joined
            remarks.add(
                .changed, "unquoted CONTENT with commas, joined to one title", lines: line...line)
        }
        var row = TodoistRow()
        for (column, field) in zip(columns, fields) {
            if let column { row[column] = field }
        }
        guard Self.isNumberOrEmpty(row[.indent]) else {
            throw ImportError(
                line: line,
                reason: "The INDENT is \"\(row[.indent].prefix(64))\", but it must be a number.")
        }
        let unknown = zip(columns, fields).enumerated()
            .filter { _, cell in cell.0 == nil && !cell.1.isEmpty }
            .map { index, _ in names[index].isEmpty ? "without a name" : names[index] }
        if !unknown.isEmpty {
            remarks.add(
                .leftOut, "the columns \(unknown.joined(separator: ", "))", lines: line...line)
        }
        return row
    }

    private func fits(_ fields: [String]) -> Bool {
        fields.dropFirst(columns.count).allSatisfy(\.trimmed.isEmpty)
            && zip(columns, fields).allSatisfy { column, field in
                switch column {
                case .priority, .indent: Self.isNumberOrEmpty(field)
                case .isCollapsed: TodoistColumn.truth(of: field) != nil
                default: true
                }
            }
    }

    private func joiningContent(of fields: [String]) -> [String]? {
        guard columns.count > content + 1, [.priority, .indent].contains(columns[content + 1])
        else { return nil }
        for end in (content + 2...content + 1 + Self.maximumJoins) where end <= fields.count {
            let text = fields[content..<end].joined(separator: delimiter)
            let joined = Array(fields[..<content] + [text] + fields[end...])
            if fits(joined) { return joined }
        }
        return nil
    }

    private static func isNumberOrEmpty(_ field: String) -> Bool {
        let text = field.trimmed
        return text.isEmpty || Int(text) != nil
    }
}
