/// The columns of Todoist's CSV files, in the order of its own exports.
///
/// https://todoist.com/help/articles/import-or-export-a-project-as-a-csv-file-in-todoist-YC8YvN
enum TodoistColumn: String, CaseIterable {
    case type = "TYPE"
    case content = "CONTENT"
    case description = "DESCRIPTION"
    case isCollapsed = "IS_COLLAPSED"
    case priority = "PRIORITY"
    case indent = "INDENT"
    case author = "AUTHOR"
    case responsible = "RESPONSIBLE"
    case date = "DATE"
    case dateLanguage = "DATE_LANG"
    case timeZone = "TIMEZONE"
    case duration = "DURATION"
    case durationUnit = "DURATION_UNIT"
    case deadline = "DEADLINE"
    case deadlineLanguage = "DEADLINE_LANG"

    /// The value of a cell of IS_COLLAPSED; nil if it is unknown.
    static func truth(of cell: String) -> Bool? {
        switch cell.trimmed.lowercased() {
        case "true", "1", "yes": true
        case "", "false", "0", "no": false
        default: nil
        }
    }

    /// The member of a task's `data` with this column's value; nil for columns that have another
    /// meaning here.
    var member: String? {
        switch self {
        case .type, .content, .isCollapsed, .indent: nil
        default: rawValue.lowercased()
        }
    }

    init?(member: String) {
        self.init(rawValue: member.uppercased())
        guard self.member == member else { return nil }
    }
}

/// The values of a row's columns; an empty cell is treated as missing.
struct TodoistRow {
    /// The PRIORITY of a task without one.
    static let noPriority = "4"

    private var cells: [TodoistColumn: String] = [:]

    subscript(column: TodoistColumn) -> String {
        get { cells[column] ?? "" }
        set { cells[column] = newValue.isEmpty ? nil : newValue }
    }

    /// Whether IS_COLLAPSED is true; nil if its value is unknown.
    var isCollapsed: Bool? { TodoistColumn.truth(of: self[.isCollapsed]) }

    /// Without the values that Todoist uses if a cell is empty.
    var withoutDefaults: TodoistRow {
        var row = self
        if isCollapsed == false { row[.isCollapsed] = "" }
        if self[.indent] == "1" { row[.indent] = "" }
        if self[.priority] == Self.noPriority { row[.priority] = "" }
        return row
    }

    var fields: [String] { TodoistColumn.allCases.map { self[$0] } }
}

extension String {
    /// Without spaces and tabs at both ends.
    var trimmed: String { Array(utf8)[...].trimmed.text }
}
