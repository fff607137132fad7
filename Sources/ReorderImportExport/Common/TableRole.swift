/// What a column of a table means for a task.
package enum TableRole: String, CaseIterable, Sendable {
    case title, notes, list, section, id, parent, level, order, done, due, labels, priority, url
    case collapsed

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
        case .collapsed: ["collapsed"]
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
