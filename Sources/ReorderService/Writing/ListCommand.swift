import ReorderEngine

/// One thing that a client asks of a list that exists.
package enum ListCommand: Sendable {
    case move(MoveRequest)
    case create(TaskContent, at: Destination)
    case update(TaskID, TaskPatch)
    case collapse(TaskID, Bool)
    case delete(TaskID)
    case settings(SettingsUpdate)
    case createSection(SectionID, title: String, position: Int?)
    case renameSection(SectionID, title: String?)
    case moveSection(SectionID, position: Int)
    case deleteSection(SectionID, tasks: ReorderableList.SectionTasks)

    /// The tasks that the client named, for the refusal to tell where they are.
    func namedTasks(in list: ReorderableList) -> NamedTasks {
        switch self {
        case .move(let request):
            switch request.subject {
            case .task(let id): .one(list.task(id))
            case .tasks(let ids): .several(ids.compactMap { list.task($0) })
            case .row(let row): .one(list.task(atRow: row))
            }
        case .update(let id, _), .collapse(let id, _), .delete(let id): .one(list.task(id))
        case .create, .settings, .createSection, .renameSection, .moveSection, .deleteSection:
            .one(nil)
        }
    }

    /// Why a request for the command alone finds nothing at its path; `nil` where the path leads
    /// somewhere. That goes before its precondition (RFC 9110, section 13.2.1).
    func missingTarget(in list: ReorderableList) -> Refusal? {
        switch self {
        case .update(let task, _), .collapse(let task, _), .delete(let task):
            list.contains(task) ? nil : .taskNotFound(task)
        case .renameSection(let section, _), .moveSection(let section, _),
            .deleteSection(let section, _):
            list.contains(section: section) ? nil : .sectionNotFound(section)
        case .move, .create, .settings, .createSection: nil
        }
    }

    /// How many tasks the command handles, counted up to a little more than a limit. O(limit).
    func taskCount(in list: ReorderableList, upTo limit: Int) -> Int {
        switch self {
        case .delete(let task), .collapse(let task, _):
            list.taskCount(under: task, upTo: limit)
        case .deleteSection(let section, _): list.taskCount(in: section, upTo: limit)
        case .move(let request):
            if case .tasks(let tasks) = request.subject { tasks.count } else { 0 }
        case .create, .update, .settings, .createSection, .renameSection, .moveSection: 0
        }
    }

    /// The id that the command brings into the list.
    var createdTask: TaskID? {
        if case .create(let content, _) = self { return content.id }
        return nil
    }
}

/// New values for some of a task's content; `nil` leaves one as it is.
package struct TaskPatch: Sendable {
    package var title: String?
    package var done: Bool?
    package var locked: Bool?
    /// A merge patch of the data as JSON text; `null` removes them.
    package var data: String?

    package init(
        title: String? = nil, done: Bool? = nil, locked: Bool? = nil, data: String? = nil
    ) {
        self.title = title
        self.done = done
        self.locked = locked
        self.data = data
    }
}

/// What a command's answer tells, with each task as it is afterwards.
///
/// Indirect: it is handed on many times, and to copy what it holds would cost more than to make it.
package indirect enum CommandResult: Sendable {
    /// To the list as a whole.
    case done
    case moved(MoveOutcome, NamedTasks)
    /// The tasks are as they stand in the other list.
    case transferred(TransferOutcome, NamedTasks, to: ListVersion)
    case created(ListTask?, placedBy: PlacedBy)
    case updated(ListTask?)
    /// `shown`: the rows that came; `nil` if none did, or they are too many to list.
    case collapsed(ListTask?, rows: CollapseOutcome.RowsChange?, shown: [ListTask]?)
    case deleted
    case settings
    /// The section as it now is; `nil` where it was deleted.
    case section(ListSection?, SectionStep)
    case element(ListTask?, isNew: Bool)
    /// What an op of a batch was answered before, as it was rendered then.
    case replayed([UInt8], tasks: Int)
    /// The tasks that were moved, changed or brought back, `nil` where they are too many to tell, and
    /// those that went.
    case undone(version: Int, tasks: [ListTask]?, deleted: [TaskID])
    /// What became of each command of a batch, in their order.
    case batch([Result<CommandResult, ServiceError>])
}

/// What was done to a section.
package enum SectionStep: Sendable {
    case create, rename, move, delete
}

/// The tasks that a request named, as they are now; those that do not exist are left out.
package enum NamedTasks: Sendable {
    case one(ListTask?)
    /// The request named an array of them.
    case several([ListTask])
}

/// A list's id and its version after a change.
package struct ListVersion: Sendable, Equatable {
    package var list: String
    package var version: Int
}
