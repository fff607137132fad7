import ReorderEngine

/// The members of a task that a client asks for.
package struct TaskFields: Sendable, Equatable {
    package enum Field: String, Sendable, CaseIterable {
        /// The id of the task's list. Only results of a search over many lists have it.
        case list
        case id, title, section, parent, position, row, depth, collapsed, locked, done
        case lockedByOffset, subtasks, createdAt, updatedAt, completedAt, createdBy, updatedBy,
            completedBy, data
    }

    /// The members, in the order in which they are written; nil means all.
    package let fields: [Field]?

    package static let all = TaskFields(fields: nil)

    private init(fields: [Field]?) {
        self.fields = fields
    }

    /// - Parameter fields: not empty. The order does not matter.
    package init(_ fields: Set<Field>) {
        self.init(fields: Field.allCases.filter { fields.contains($0) })
    }
}

extension JSONWriter {
    /// Writes some members of a task.
    ///
    /// - Parameter list: the id of the task's list, for results of a search over many lists.
    package mutating func task(_ task: ListTask, in list: String? = nil, _ fields: TaskFields) {
        guard let fields = fields.fields else { return self.task(task, in: list) }
        beginObject()
        for field in fields { write(field, of: task, in: list) }
        endObject()
    }

    private mutating func write(
        _ field: TaskFields.Field, of task: ListTask, in list: String?
    ) {
        let (content, placement) = (task.content, task.placement)
        switch field {
        case .list:
            guard let list else { return }
            name("list")
            string(list)
        case .id:
            name("id")
            string(content.id)
        case .title:
            name("title")
            string(content.title)
        case .section:
            name("section")
            stringOrNull(placement.section)
        case .parent:
            name("parent")
            stringOrNull(placement.parent)
        case .position:
            name("position")
            int(placement.position)
        case .row:
            name("row")
            if let row = placement.row { int(row) } else { null() }
        case .depth:
            name("depth")
            int(task.depth)
        case .collapsed:
            name("collapsed")
            bool(content.collapsed)
        case .locked:
            name("locked")
            bool(content.locked)
        case .done:
            name("done")
            bool(content.done)
        case .lockedByOffset:
            guard task.isLockedByOffset else { return }
            name("lockedByOffset")
            bool(true)
        case .subtasks:
            name("subtasks")
            int(task.subtasks)
        case .createdAt: time("createdAt", content.stamps.createdAt)
        case .updatedAt: time("updatedAt", content.stamps.updatedAt)
        case .completedAt: time("completedAt", content.stamps.completedAt)
        case .createdBy: author("createdBy", content.stamps.createdBy)
        case .updatedBy: author("updatedBy", content.stamps.updatedBy)
        case .completedBy: author("completedBy", content.stamps.completedBy)
        case .data:
            guard let data = content.data else { return }
            name("data")
            raw(data.utf8)
        }
    }

    private mutating func author(_ member: StaticString, _ author: String?) {
        guard let author else { return }
        name(member)
        string(author)
    }

    private mutating func time(_ member: StaticString, _ milliseconds: Int64?) {
        guard let milliseconds else { return }
        name(member)
        time(milliseconds: milliseconds)
    }
}
