import ReorderEngine

/// A change of one list that a client asks for: in a request of its own, as an op of a batch, or as an operation that waits on a
/// device. A new command is a case of this enum, and one in the `switch` statements of this file: they have its members, and how it is read,
/// written and applied.
///
/// Indirect, because it is passed through many functions, and copying its content would cost more than allocating it.
package indirect enum Command: Sendable, Equatable {
    case move(MoveRequest)
    case create(TaskContent, at: Destination)
    /// The data of an update is a merge patch; also for settings and sections.
    case update(TaskID, TaskUpdate)
    case collapse(TaskID, Bool)
    case delete(TaskID)
    case settings(SettingsUpdate)
    /// Without a position, the section becomes the last one.
    case createSection(
        SectionID, title: String, position: Int?, data: String? = nil, maxTasks: Int? = nil)
    case updateSection(SectionID, SectionUpdate)
    case moveSection(SectionID, position: Int)
    case deleteSection(SectionID, tasks: ReorderableList.SectionTasks)

    /// The tasks that the command names by their ids, also a task that it creates.
    package var tasks: [TaskID] {
        switch self {
        case .move(let request):
            switch request.subject {
            case .task(let task): [task]
            case .tasks(let tasks): tasks
            case .row, .rows, .path: []
            }
        case .create(let content, _): [content.id]
        case .update(let task, _), .collapse(let task, _), .delete(let task): [task]
        case .settings, .createSection, .updateSection, .moveSection, .deleteSection: []
        }
    }

    /// The id that the command adds to the list.
    package var createdTask: TaskID? {
        if case .create(let content, _) = self { content.id } else { nil }
    }

    /// The section that the command creates, changes or deletes.
    package var section: SectionID? {
        switch self {
        case .createSection(let section, _, _, _, _), .updateSection(let section, _),
            .moveSection(let section, _), .deleteSection(let section, _):
            section
        default: nil
        }
    }

    /// The same command for a list in which tasks have other ids.
    package func renamingTasks(_ ids: [TaskID: TaskID]) -> Command {
        func new(_ task: TaskID) -> TaskID { ids[task] ?? task }
        switch self {
        case .move(var request):
            switch request.subject {
            case .task(let task): request.subject = .task(new(task))
            case .tasks(let tasks): request.subject = .tasks(tasks.map(new))
            case .row, .rows, .path: break
            }
            request.destination = request.destination.renamingTasks(new)
            return .move(request)
        case .create(var content, let destination):
            content.id = new(content.id)
            return .create(content, at: destination.renamingTasks(new))
        case .update(let task, let update): return .update(new(task), update)
        case .collapse(let task, let collapsed): return .collapse(new(task), collapsed)
        case .delete(let task): return .delete(new(task))
        case .settings, .createSection, .updateSection, .moveSection, .deleteSection: return self
        }
    }
}

extension Command {
    /// The kinds of commands, by the value of `op`, and the members of each.
    package enum Kind: String, Sendable, CaseIterable {
        case move, create, update, collapse, delete, list
        case sectionCreate = "section-create"
        case sectionUpdate = "section-update"
        case sectionMove = "section-move"
        case sectionDelete = "section-delete"

        /// The members of an op, besides `op` and `opId`.
        package var members: [JSONName] {
            switch self {
            case .move: Self.moveMembers
            case .create: Self.createMembers
            case .update: ["task", "set"]
            case .collapse: ["task", "collapsed"]
            case .delete: ["task"]
            case .list: ["set"]
            case .sectionCreate: ["section", "position"] + SectionUpdate.names
            case .sectionUpdate: ["section"] + SectionUpdate.names
            case .sectionMove: ["section", "position"]
            case .sectionDelete: ["section", "tasks"]
            }
        }

        /// The members of the body of a request of its own. Its path names the task or section that is changed, and the members of
        /// `set` are the body's own.
        package var bodyMembers: [JSONName] {
            switch self {
            case .move: Self.moveMembers
            case .create: Self.taskMembers
            case .update: TaskUpdate.names
            case .list: SettingsUpdate.names
            case .sectionCreate: ["id", "position"] + SectionUpdate.names
            default: members.filter { $0 != "task" && $0 != "section" }
            }
        }

        private static let moveMembers: [JSONName] =
            ["task", "tasks", "fromRow", "fromRows", "from", "undo"] + DestinationForm.members
            + DestinationForm.rowMembers
        private static let taskMembers: [JSONName] =
            ["id"] + TaskUpdate.names + ["collapsed"] + DestinationForm.members
        private static let createMembers = taskMembers + ["undo"]
    }

    package var kind: Kind {
        switch self {
        case .move: .move
        case .create: .create
        case .update: .update
        case .collapse: .collapse
        case .delete: .delete
        case .settings: .list
        case .createSection: .sectionCreate
        case .updateSection: .sectionUpdate
        case .moveSection: .sectionMove
        case .deleteSection: .sectionDelete
        }
    }
}

extension CommandForm {
    /// The command from the members that were read; `reader` is at the end of the object.
    ///
    /// - Parameter makeID: makes the id of a task or section that has none; if it returns nil, an id is required.
    package consuming func command(
        _ reader: borrowing JSONReader, makeID: () -> String? = { nil }
    ) throws(JSONTypeError) -> Command {
        switch kind {
        case .move: return .move(try move(reader))
        case .create:
            let title = try reader.required(taskUpdate.title, "title")
            let content = TaskContent(
                id: try reader.required(task ?? makeID(), "id"), title: title,
                collapsed: collapsed ?? false, locked: taskUpdate.locked ?? false,
                done: taskUpdate.done ?? false, data: taskUpdate.data?.data)
            var destination = try place.destination(reader) ?? Destination()
            destination.isUndo = isUndo
            return .create(content, at: destination)
        case .update: return .update(try reader.required(task, "task"), taskUpdate)
        case .collapse: return .collapse(try reader.required(task, "task"), collapsed ?? true)
        case .delete: return .delete(try reader.required(task, "task"))
        case .list: return .settings(settingsUpdate)
        case .sectionCreate:
            let title = try reader.required(sectionUpdate.title, "title")
            return .createSection(
                try reader.required(section ?? makeID(), "section"), title: title,
                position: place.position, data: sectionUpdate.data?.data,
                maxTasks: sectionUpdate.maxTasks?.limit)
        case .sectionUpdate:
            let section = try reader.required(section, "section")
            guard !isOp || sectionUpdate != SectionUpdate() else {
                throw reader.missingMember("title")
            }
            return .updateSection(section, sectionUpdate)
        case .sectionMove:
            let section = try reader.required(section, "section")
            return .moveSection(section, position: try reader.required(place.position, "position"))
        case .sectionDelete:
            return .deleteSection(try reader.required(section, "section"), tasks: tasksOfSection)
        }
    }
}

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
        case .update(let task, let update):
            member("task", task)
            name("set")
            object(update)
        case .collapse(let task, let collapsed):
            member("task", task)
            member("collapsed", collapsed)
        case .delete(let task): member("task", task)
        case .settings(let update):
            name("set")
            object(update)
        case .createSection(let section, let title, let position, let data, let maxTasks):
            member("section", section)
            member("title", title)
            member("position", position)
            self.data(data)
            limit("maxTasks", maxTasks)
        case .updateSection(let section, let update):
            member("section", section)
            members(of: update)
        case .moveSection(let section, let position):
            member("section", section)
            member("position", position)
        case .deleteSection(let section, let tasks):
            member("section", section)
            member("tasks", tasks.rawValue)
        }
        endObject()
    }
}

extension Command {
    /// - Parameter data: the new data; nil if it does not change.
    func apply(to list: inout ReorderableList, _ data: DataUpdate?) throws(Refusal) -> Outcome {
        switch self {
        case .move(let request):
            let moved = try list.move(request)
            return Outcome(
                operations: moved.operations,
                detail: .moved(moved, isBlock: request.subject.isBlock))
        case .create(let content, let destination):
            let created = try list.create(content, at: destination)
            return Outcome(
                operations: created.operations, inserted: [content.id],
                detail: .created(content.id, placedBy: created.placedBy))
        case .update(let task, var update):
            update.data = data
            return Outcome(operations: try list.update(task, update), detail: .updated(task))
        case .collapse(let task, let collapsed):
            let outcome = try list.collapse(task, collapsed)
            return Outcome(
                operations: outcome.operations, detail: .collapsed(task, rows: outcome.rows))
        case .delete(let task):
            let outcome = try list.delete(task)
            return Outcome(operations: outcome.operations, deleted: outcome.deleted)
        case .settings(var update):
            update.data = data
            return Outcome(operations: list.update(update))
        case .createSection(let section, let title, let position, let data, let maxTasks):
            return Outcome(
                operations: try list.createSection(
                    section, title: title, position: position, data: data, maxTasks: maxTasks),
                detail: .section(section, isNew: true))
        case .updateSection(let section, let update):
            return Outcome(
                operations: try list.updateSection(
                    section, title: update.title, data: data, maxTasks: update.maxTasks),
                detail: .section(section, isNew: false))
        case .moveSection(let section, let position):
            return Outcome(
                operations: try list.moveSection(section, position: position),
                detail: .section(section, isNew: false))
        case .deleteSection(let section, let tasks):
            let outcome = try list.deleteSection(section, tasks: tasks)
            return Outcome(operations: outcome.operations, deleted: outcome.deleted)
        }
    }
}

extension Destination {
    fileprivate func renamingTasks(_ new: (TaskID) -> TaskID) -> Destination {
        var destination = self
        destination.after = after.map(new)
        destination.before = before.map(new)
        if case .subtasks(let task)? = place?.siblings {
            destination.place?.siblings = .subtasks(of: new(task))
        }
        return destination
    }
}
