import ReorderEngine

extension ListOperation {
    /// The member `op`.
    package var name: String {
        switch self {
        case .move: "move"
        case .insert: "insert"
        case .update: "update"
        case .collapse: "collapse"
        case .delete: "delete"
        case .list: "list"
        case .sectionInsert: "section-insert"
        case .sectionUpdate: "section-update"
        case .sectionMove: "section-move"
        case .sectionDelete: "section-delete"
        case .replace: "replace"
        }
    }
}

extension JSONWriter {
    /// Writes an operation in normal form.
    ///
    /// - Parameter deletedTitle: the title of what the operation deletes, for people.
    package mutating func operation(_ operation: ListOperation, deletedTitle: String? = nil) {
        if case .move(let task, let section, let parent, let position) = operation {
            return move(task, section: section, parent: parent, position: position)
        }
        beginObject()
        name("op")
        string(operation.name)
        switch operation {
        case .move, .replace: break
        case .insert(let task):
            name("task")
            self.task(task, showsOffsetLock: false)
        case .update(let task, let set):
            name("task")
            string(task)
            name("set")
            taskUpdate(set)
        case .collapse(let task, let collapsed):
            name("task")
            string(task)
            name("collapsed")
            bool(collapsed)
        case .delete(let task):
            name("task")
            string(task)
            if let deletedTitle {
                name("title")
                string(deletedTitle)
            }
        case .list(let set):
            name("set")
            settingsUpdate(set)
        case .sectionInsert(let section, let title, let position, let data, let maxTasks):
            sectionOperation(section, title: title, position: position)
            if let data { self.data(.set(data)) }
            limit("maxTasks", maxTasks)
        case .sectionUpdate(let section, let title, let data, let maxTasks):
            sectionOperation(section, title: title)
            if let data { self.data(data) }
            limit("maxTasks", maxTasks)
        case .sectionMove(let section, let position):
            sectionOperation(section, position: position)
        case .sectionDelete(let section):
            sectionOperation(section, title: deletedTitle)
        }
        endObject()
    }

    /// Written in one step, because most changes consist of one move.
    private mutating func move(
        _ task: TaskID, section: SectionID?, parent: TaskID?, position: Int
    ) {
        let texts =
            task.utf8.count + (section?.utf8.count ?? 0) + (parent?.utf8.count ?? 0)
        compose(atMost: texts * Self.maximumEscapedBytes + Self.maximumDigits + 80) { end in
            end.write(#"{"op":"move","task":"#)
            end.write(quotedOrNull: task)
            end.write(#","section":"#)
            end.write(quotedOrNull: section)
            end.write(#","parent":"#)
            end.write(quotedOrNull: parent)
            end.write(#","position":"#)
            end.write(position)
            end.write(ASCII.closeBrace)
        }
    }

    private mutating func sectionOperation(
        _ section: SectionID, title: String? = nil, position: Int? = nil
    ) {
        name("section")
        string(section)
        if let title {
            name("title")
            string(title)
        }
        if let position {
            name("position")
            int(position)
        }
    }

    private mutating func taskUpdate(_ set: TaskUpdate) {
        beginObject()
        if let title = set.title {
            name("title")
            string(title)
        }
        if let done = set.done {
            name("done")
            bool(done)
        }
        if let locked = set.locked {
            name("locked")
            bool(locked)
        }
        if let data = set.data { self.data(data) }
        if let completed = set.completed {
            name("completedAt")
            time(milliseconds: completed.time)
            if let author = completed.author {
                name("completedBy")
                string(author)
            }
        }
        endObject()
    }

    private mutating func data(_ data: DataUpdate) {
        name("data")
        switch data {
        case .set(let data): raw(data.utf8)
        case .remove: null()
        }
    }

    private mutating func settingsUpdate(_ set: SettingsUpdate) {
        beginObject()
        if let title = set.title {
            name("title")
            string(title)
        }
        if let offset = set.elementsOffset {
            name("elementsOffset")
            int(offset)
        }
        if let collapse = set.collapseSubElements {
            name("collapseSubElements")
            bool(collapse)
        }
        if let moves = set.moves {
            name("moves")
            string(moves.rawValue)
        }
        limits(set)
        if let data = set.data { self.data(data) }
        endObject()
    }
}
