import ReorderEngine

extension JSONWriter {
    /// Writes a command as an op of a batch or an outbox.
    package mutating func command(_ command: Command, opID: String? = nil) {
        beginObject()
        if let opID { member("opId", opID) }
        member("op", command.kind.rawValue)
        switch command {
        case .move(let request): members(of: request)
        case .create(let content, let destination):
            members(of: content)
            members(of: destination)
        case .update(let task, let patch):
            member("task", task)
            name("set")
            beginObject()
            members(of: patch)
            endObject()
        case .collapse(let task, let collapsed):
            member("task", task)
            member("collapsed", collapsed)
        case .delete(let task): member("task", task)
        case .settings(let patch):
            name("set")
            beginObject()
            members(of: patch)
            endObject()
        case .createSection(let section, let title, let position, let data, let maxTasks):
            member("section", section)
            member("title", title)
            member("position", position)
            self.data(data)
            limit("maxTasks", maxTasks)
        case .updateSection(let section, let patch):
            member("section", section)
            member("title", patch.title)
            data(patch.data)
            limit("maxTasks", patch.maxTasks)
        case .moveSection(let section, let position):
            member("section", section)
            member("position", position)
        case .deleteSection(let section, let tasks):
            member("section", section)
            member("tasks", tasks.rawValue)
        }
        endObject()
    }

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

    package mutating func members(of patch: TaskPatch) {
        member("title", patch.title)
        member("done", patch.done)
        member("locked", patch.locked)
        data(patch.data)
    }

    package mutating func members(of patch: SettingsPatch) {
        let update = patch.update
        member("title", update.title)
        member("elementsOffset", update.elementsOffset)
        member("collapseSubElements", update.collapseSubElements)
        member("moves", update.moves?.rawValue)
        limits(update)
        data(patch.data)
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
    mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        self.name(name)
        string(value)
    }

    mutating func member(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        self.name(name)
        int(value)
    }

    mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        self.name(name)
        bool(value)
    }

    /// - Parameter data: JSON text.
    mutating func data(_ data: String?) {
        guard let data else { return }
        name("data")
        raw(data.utf8)
    }
}
