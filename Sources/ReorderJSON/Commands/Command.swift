import ReorderEngine

/// A change of one list that a client asks for: in a request of its own, as an op of a batch, or as an operation that waits on a
/// device.
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
        case .move, .create, .update, .collapse, .delete, .settings: nil
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
