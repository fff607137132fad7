import ReorderEngine

/// One thing that a client asks of a list that exists.
package enum ListCommand: Sendable {
    case move(MoveRequest)
    case create(TaskContent, at: Destination)
    case collapse(TaskID, Bool)
    case delete(TaskID)

    /// The tasks that the client named, for the refusal to tell where they are.
    func namedTasks(in list: ReorderableList) -> NamedTasks {
        switch self {
        case .move(let request):
            switch request.subject {
            case .task(let id): .one(list.task(id))
            case .tasks(let ids): .several(ids.compactMap { list.task($0) })
            case .row(let row): .one(list.task(atRow: row))
            }
        case .create: .one(nil)
        case .collapse(let id, _), .delete(let id): .one(list.task(id))
        }
    }

    /// The id that the command brings into the list.
    var createdTask: TaskID? {
        if case .create(let content, _) = self { return content.id }
        return nil
    }

    /// Does it, or throws and leaves the list as it was.
    func perform(on list: inout ReorderableList) throws(Refusal) -> Performed {
        switch self {
        case .move(let request):
            let outcome = try list.move(request)
            let tasks = outcome.tasks.compactMap { list.task($0) }
            return Performed(
                operations: outcome.operations, result: .moved(outcome, tasks: tasks))
        case .create(let content, let destination):
            let outcome = try list.create(content, at: destination)
            return Performed(
                operations: outcome.operations, inserted: [content.id],
                result: .created(list.task(content.id), placedBy: outcome.placedBy))
        case .collapse(let task, let collapsed):
            let outcome = try list.collapse(task, collapsed)
            return Performed(
                operations: outcome.operations,
                result: .collapsed(list.task(task), rows: outcome.rows))
        case .delete(let task):
            let outcome = try list.delete(task)
            return Performed(
                operations: outcome.operations, deleted: outcome.deleted, result: .done)
        }
    }
}

/// What a command did to the list.
struct Performed {
    /// The change in normal form; empty where everything stayed as it was.
    var operations: [ListOperation]
    var inserted: [TaskID] = []
    var deleted: [TaskID] = []
    var result: CommandResult
}

/// What a command's answer tells, with each task as it is afterwards.
package enum CommandResult: Sendable {
    case done
    case moved(MoveOutcome, tasks: [ListTask])
    case created(ListTask?, placedBy: PlacedBy)
    case collapsed(ListTask?, rows: CollapseOutcome.RowsChange?)
}

/// The tasks that a request named, as they are now; those that do not exist are left out.
package enum NamedTasks: Sendable {
    case one(ListTask?)
    /// The request named an array of them.
    case several([ListTask])
}
