/// A program whose tables need no options.
struct KnownTable {
    /// The name with which the lists' ids begin; nil for tables of this program.
    var program: String?
    /// The columns by which it is recognized.
    var marks: Set<String>
    var columns: [TableRole: String]
    /// Columns whose texts become lines of the notes.
    var noted: Set<String> = []
    var words: ProgramWords = [:]
    /// The columns that say whether a due date has no time, and in which time zone it is.
    var allDay: (flag: String, zone: String)?
    /// The columns, one in each version, that say whether the notes are subtasks.
    var checklist: Set<String> = []
    /// The column with the kind of a row: `task`, `section`, `note` or another one.
    var kind: String?
    /// Whether a row with the level 0 begins a section.
    var hasSectionRows = false

    /// https://help.ticktick.com/articles/7055782092656377856. Older files have no sections, tags and ids.
    static let tickTick = KnownTable(
        program: "ticktick", marks: ["List Name", "Title", "Content", "Status"],
        columns: [
            .list: "List Name", .title: "Title", .labels: "Tags", .notes: "Content",
            .due: "Due Date", .priority: "Priority", .done: "Status", .order: "Order",
            .section: "Column Name", .id: "taskId", .parent: "parentId",
        ],
        noted: ["Repeat"],
        words: [
            .priority: ["5": "high", "3": "medium", "1": "low", "0": "none"],
            .done: ["0": "open", "1": "done", "2": "done", "-1": "won't do"],
        ],
        allDay: ("Is All Day", "Timezone"), checklist: ["Is Check list", "Is Checklist"])

    /// https://todoist.com/help/articles/import-or-export-a-project-as-a-csv-file-in-todoist-YC8YvN
    static let todoist = KnownTable(
        program: "todoist", marks: ["TYPE", "CONTENT"],
        columns: [
            .title: "CONTENT", .notes: "DESCRIPTION", .priority: "PRIORITY", .level: "INDENT",
            .due: "DATE", .collapsed: "IS_COLLAPSED",
        ],
        noted: ["RESPONSIBLE", "DURATION", "DURATION_UNIT", "DEADLINE"], kind: "TYPE")

    /// The columns of the tables that are written.
    static let header: [TableRole] = [
        .level, .title, .section, .done, .due, .priority, .labels, .notes, .url, .id,
    ]
    /// The level of a row that begins a section.
    static let sectionLevel = "0"

    static let written = KnownTable(
        marks: ["level", "title", "section", "done"],
        columns: Dictionary(uniqueKeysWithValues: header.map { ($0, $0.rawValue) }),
        hasSectionRows: true)

    static func of(_ header: [String]) -> KnownTable? {
        let names = Set(header.map { $0.trimmed.lowercased() })
        return [tickTick, todoist, written].first { table in
            names.isSuperset(of: table.marks.map { $0.lowercased() })
        }
    }
}
