import ReorderEngine

extension JSONWriter {
    package mutating func members(of request: MoveRequest) {
        members(of: request.subject)
        members(of: request.destination)
    }

    package mutating func members(of subject: MoveRequest.Subject) {
        switch subject {
        case .task(let task): member("task", task)
        case .tasks(let tasks):
            name("tasks")
            beginArray()
            for task in tasks { string(task) }
            endArray()
        case .row(let row): member("fromRow", row)
        case .rows(let rows):
            name("fromRows")
            beginArray()
            for row in rows { int(row) }
            endArray()
        case .path(let section, let row): sectionRow("from", section, row)
        }
    }

    package mutating func members(of destination: Destination) {
        member("after", destination.after)
        member("before", destination.before)
        switch destination.place?.siblings {
        case .subtasks(let parent): member("parent", parent)
        case .section(let section): self.section(section)
        case .topLevel:
            name("parent")
            null()
        case .own, nil: break
        }
        member("position", destination.place?.position.map { max(0, $0) })
        switch destination.rows?.target {
        case .row(let row): member("toRow", row)
        case .rowInSection(let row, let section):
            member("toRow", row)
            self.section(section)
        case .path(let section, let row): sectionRow("to", section, row)
        case .offset(let offset): member("toOffset", offset)
        case .offsetInSection(let section, let offset):
            member("toOffset", offset)
            self.section(section)
        case nil: break
        }
        member("level", destination.rows?.level)
        if destination.isUndo { member("undo", true) }
    }

    package mutating func members(of content: TaskContent) {
        member("id", content.id)
        member("title", content.title)
        if content.collapsed { member("collapsed", true) }
        if content.locked { member("locked", true) }
        if content.done { member("done", true) }
        data(content.data)
    }

    private mutating func sectionRow(_ name: StaticString, _ section: SectionID?, _ row: Int) {
        self.name(name)
        beginObject()
        self.section(section)
        member("row", row)
        endObject()
    }

    private mutating func section(_ section: SectionID?) {
        name("section")
        stringOrNull(section)
    }

    /// Writes a member unless the value is nil; also the next functions.
    package mutating func member(_ name: JSONName, _ value: String?) {
        guard let value else { return }
        self.name(of: name)
        string(value)
    }

    package mutating func member(_ name: JSONName, _ value: Int?) {
        guard let value else { return }
        self.name(of: name)
        int(value)
    }

    package mutating func member(_ name: JSONName, _ value: Bool?) {
        guard let value else { return }
        self.name(of: name)
        bool(value)
    }

    /// - Parameter data: JSON text.
    mutating func data(_ data: String?) {
        guard let data else { return }
        name("data")
        raw(data.utf8)
    }

    /// Null removes the data.
    mutating func data(_ update: DataUpdate?) {
        guard let update else { return }
        data(update.data ?? "null")
    }
}
