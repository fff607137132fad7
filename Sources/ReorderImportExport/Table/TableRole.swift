/// What a column of a table means for a task.
package enum TableRole: String, CaseIterable, Sendable {
    case title, notes, list, section, id, parent, level, order, done, due, labels, priority, url

    /// Names of such columns in lower case, the most certain first.
    var names: [String] {
        switch self {
        case .title:
            [
                "title", "task", "task name", "name", "subject", "summary", "content", "todo",
                "to do", "item", "titel", "aufgabe", "titre", "título", "tarea",
            ]
        case .notes:
            [
                "notes", "note", "description", "details", "body", "comment", "comments", "notizen",
                "beschreibung",
            ]
        case .list: ["list name", "list", "project", "board", "liste", "projekt"]
        case .section:
            [
                "section", "section/column", "column name", "group", "bucket", "category",
                "heading", "folder", "abschnitt",
            ]
        case .id: ["id", "task id", "taskid", "uid", "uuid", "key"]
        case .parent: ["parent", "parent id", "parentid", "parent task", "parent task id"]
        case .level: ["level", "indent", "outline level", "depth", "ebene"]
        case .order: ["order", "position", "sort order", "rank", "reihenfolge"]
        case .done:
            [
                "done", "completed", "complete", "status", "is completed", "completed at",
                "completed time", "checked", "erledigt",
            ]
        case .due: ["due", "due date", "deadline", "due at", "date", "fällig", "fälligkeit"]
        case .labels: ["labels", "tags", "label", "tag", "categories", "etiketten"]
        case .priority: ["priority", "prio", "importance", "priorität"]
        case .url: ["url", "link", "website"]
        }
    }
}

/// Which columns of a table have which meaning.
package struct TableColumns: Sendable, Equatable {
    /// The columns' names, in the order of the table's header once they are found there.
    package var names: [TableRole: String] = [:]

    package init() {}

    /// Adds a column given as `title=Task`; returns false for another form or a second one.
    package mutating func add(_ text: String) -> Bool {
        guard let equals = text.firstIndex(of: "="),
            let role = TableRole(rawValue: String(text[..<equals])),
            names[role] == nil
        else { return false }
        names[role] = String(text[text.index(after: equals)...])
        return true
    }

    /// A proposal for a header.
    init(proposedFor header: [String]) {
        let lowercased = header.map { $0.trimmed.lowercased() }
        var used: Set<Int> = []
        for role in TableRole.allCases {
            let index = role.names.lazy.compactMap { lowercased.firstIndex(of: $0) }
                .first { !used.contains($0) }
            guard let index else { continue }
            used.insert(index)
            names[role] = header[index]
        }
    }

    /// As options, in the order of the header.
    func options(in header: [String]) -> [String] {
        names.sorted { one, other in
            (header.firstIndex(of: one.value) ?? 0) < (header.firstIndex(of: other.value) ?? 0)
        }.map { "\($0.key)=\($0.value)" }
    }
}

/// A program whose tables need no options.
struct KnownTable {
    /// The columns by which it is recognized, and their meanings.
    var columns: [TableRole: String]
    /// Columns without content that a person wrote, which are not reported.
    var ignored: Set<String>
    /// Words of columns that have another meaning than in other tables.
    var priorities: [String: Int?] = [:]
    var done: [String: Bool] = [:]
    /// The columns that say whether a due date has no time, and in which time zone it is.
    var allDay: (flag: String, zone: String)?
    /// The column that says whether the notes are subtasks.
    var checklist: String?
    /// Whether a row with the level 0 begins a section.
    var hasSectionRows = false

    /// https://help.ticktick.com/articles/7055782092656377856
    static let tickTick = KnownTable(
        columns: [
            .list: "List Name", .title: "Title", .labels: "Tags", .notes: "Content",
            .due: "Due Date", .priority: "Priority", .done: "Status", .order: "Order",
            .section: "Column Name", .id: "taskId", .parent: "parentId",
        ],
        ignored: [
            "Kind", "Is Check list", "Timezone", "Is All Day", "Is Floating", "Column Order",
            "View Mode", "projectKind", "Created Time", "Completed Time",
        ],
        priorities: ["5": 1, "3": 2, "1": 3, "0": nil],
        done: ["0": false, "1": true, "2": true, "-1": true],
        allDay: ("Is All Day", "Timezone"), checklist: "Is Check list")

    /// Older files have no sections and ids.
    static func of(_ header: [String]) -> KnownTable? {
        let names = Set(header.map(\.trimmed))
        if names.isSuperset(of: ["level", "title", "section", "done"]) { return written }
        return names.isSuperset(of: ["List Name", "Title", "Is Check list", "Status"])
            ? tickTick : nil
    }
}
