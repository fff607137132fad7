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
        member("op", operation.name)
        switch operation {
        case .move, .replace: break
        case .insert(let task):
            name("task")
            self.task(task, showsOffsetLock: false)
        case .update(let task, let set):
            member("task", task)
            name("set")
            beginObject()
            members(of: set)
            if let completed = set.completed {
                name("completedAt")
                time(milliseconds: completed.time)
                member("completedBy", completed.author)
            }
            endObject()
        case .collapse(let task, let collapsed):
            member("task", task)
            member("collapsed", collapsed)
        case .delete(let task):
            member("task", task)
            member("title", deletedTitle)
        case .list(let set):
            name("set")
            object(set)
        case .sectionInsert(let section, let title, let position, let data, let maxTasks):
            member("section", section)
            member("title", title)
            member("position", position)
            self.data(data)
            limit("maxTasks", maxTasks)
        case .sectionUpdate(let section, let title, let data, let maxTasks):
            member("section", section)
            members(of: SectionUpdate(title: title, data: data, maxTasks: maxTasks))
        case .sectionMove(let section, let position):
            member("section", section)
            member("position", position)
        case .sectionDelete(let section):
            member("section", section)
            member("title", deletedTitle)
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
}
