import ReorderEngine

/// A client's command for an existing list.
///
/// Indirect for the same reason as `CommandResult`.
package indirect enum ListCommand: Sendable {
    case move(MoveRequest)
    case create(TaskContent, at: Destination)
    case update(TaskID, TaskPatch)
    case collapse(TaskID, Bool)
    case delete(TaskID)
    /// Gives siblings another order; nil: the reverse one.
    case order(TaskScope, by: TaskSorting?)
    /// Deletes the done tasks whose subtasks are all done.
    case removeDone(TaskScope)
    /// `data`: a merge patch of the list's data as JSON text; `null` removes the data.
    case settings(SettingsUpdate, data: String? = nil)
    case createSection(
        SectionID, title: String, position: Int?, data: String? = nil, maxTasks: Int? = nil)
    case updateSection(SectionID, SectionPatch)
    case moveSection(SectionID, position: Int)
    case deleteSection(SectionID, tasks: ReorderableList.SectionTasks)

    /// The tasks that the client named, for the response to a refused command.
    func namedTasks(in list: ReorderableList) -> NamedTasks {
        switch self {
        case .move(let request):
            let tasks = list.tasks(named: request.subject).compactMap { list.task($0) }
            return request.subject.isBlock ? .several(tasks) : .one(tasks.first)
        case .update(let id, _), .collapse(let id, _), .delete(let id):
            return .one(list.task(id))
        case .create, .order, .removeDone, .settings, .createSection, .updateSection, .moveSection,
            .deleteSection:
            return .one(nil)
        }
    }

    /// Returns the reason if the resource in the request's path does not exist; nil if it exists.
    /// This is checked before the precondition (RFC 9110, section 13.2.1).
    func missingTarget(in list: ReorderableList) -> Refusal? {
        switch self {
        case .update(let task, _), .collapse(let task, _), .delete(let task):
            list.contains(task) ? nil : .taskNotFound(task)
        case .updateSection(let section, _), .moveSection(let section, _),
            .deleteSection(let section, _):
            list.contains(section: section) ? nil : .sectionNotFound(section)
        case .move, .create, .order, .removeDone, .settings, .createSection: nil
        }
    }

    /// The number of tasks that the command handles. Counting stops a little above the limit.
    /// O(limit).
    func taskCount(in list: ReorderableList, upTo limit: Int) -> Int {
        switch self {
        case .delete(let task), .collapse(let task, _):
            list.taskCount(under: task, upTo: limit)
        case .deleteSection(let section, _):
            list.taskCount(in: section, upTo: limit)
        case .move(let request):
            max(
                request.subject.namedCount,
                request.folds.map { list.costOfFolding($0) } ?? 0)
        // Each task is compared with several others.
        case .order(let scope, _):
            10 * ((try? list.taskCount(in: scope, upTo: limit)) ?? 0)
        case .removeDone: list.count
        case .create, .update, .settings, .createSection, .updateSection, .moveSection: 0
        }
    }

    /// Whether the command may delete tasks or sections.
    var mayDelete: Bool {
        switch self {
        case .delete, .removeDone, .deleteSection: true
        default: false
        }
    }

    /// The id that the command adds to the list.
    var createdTask: TaskID? {
        if case .create(let content, _) = self { return content.id }
        return nil
    }
}

/// New values for parts of a task's content; nil leaves a part unchanged.
package struct TaskPatch: Sendable {
    package var title: String?
    package var done: Bool?
    package var locked: Bool?
    /// A merge patch of the data as JSON text; `null` removes the data.
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

/// New values for parts of a section; nil leaves a part unchanged.
package struct SectionPatch: Sendable {
    package var title: String?
    /// A merge patch of the data as JSON text; `null` removes the data.
    package var data: String?
    package var maxTasks: LimitUpdate?

    package init(title: String? = nil, data: String? = nil, maxTasks: LimitUpdate? = nil) {
        self.title = title
        self.data = data
        self.maxTasks = maxTasks
    }
}

/// The result of a command, with the resulting state of each task.
///
/// Indirect, because it is passed through many functions, and copying its content would cost more
/// than allocating it.
package indirect enum CommandResult: Sendable {
    /// The list as a whole was changed, or a task was deleted. The response shows only the version.
    case done
    /// Tasks were ordered, or done tasks deleted: the number of tasks that were moved or deleted.
    case doneInBulk(count: Int)
    /// `isBlock`: whether the request named an array of tasks.
    case moved(MoveOutcome, isBlock: Bool)
    case transferred(TransferOutcome, isBlock: Bool, to: ListVersion)
    case created(ListTask?)
    case updated(ListTask?)
    /// `shown`: the rows that became visible; nil if there are none or too many.
    case collapsed(ListTask?, rows: CollapseOutcome.RowsChange?, shown: [ListTask]?)
    /// The section in the list that received it.
    case sectionTransferred(ListSection?, to: ListVersion)
    /// The section's new state; nil if it was deleted.
    case section(ListSection?, isNew: Bool)
    case element(ListTask?, isNew: Bool)
    /// The stored result of an op of an earlier batch, in its rendered form.
    case replayed([UInt8], tasks: Int)
    /// `tasks`: the tasks that were moved, changed or restored; nil if they are too many to return.
    /// `deleted`: the tasks that the undo deleted. `newIDs`: the new ids of tasks that came back and whose own
    /// ids, the keys, are in use in other lists.
    case undone(version: Int, tasks: [ListTask]?, deleted: [TaskID], newIDs: [TaskID: TaskID])
    /// A list came back from the bin.
    case restored(newIDs: [TaskID: TaskID])
    /// The result of each command of a batch, in order.
    case batch([Result<CommandResult, ServiceError>])
}

/// A list's id and its version after a change.
package struct ListVersion: Sendable, Hashable {
    package var list: String
    package var version: Int
}
