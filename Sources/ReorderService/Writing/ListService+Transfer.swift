import ReorderEngine
import ReorderJSON

extension ListService {
    /// Moves tasks into another list, with one commit for both lists. If it throws, both are
    /// unchanged.
    func transfer(
        _ move: MoveRequest, from source: CachedList, to target: CachedList, isDryRun: Bool
    ) throws(Interruption) -> WriteEffects {
        let version = source.state.version
        var (left, entered) = (source.state.list, target.state.list)
        let outcome: TransferOutcome
        do {
            outcome = try left.transfer(move, to: &entered)
        } catch {
            let tasks = ListCommand.move(move).namedTasks(in: source.state.list)
            throw .refused(.refused(error, version: version, tasks: tasks))
        }
        guard entered.count <= limits.tasksPerList else {
            let tasks = ListCommand.move(move).namedTasks(in: source.state.list)
            throw .refused(
                .targetListFull(limit: limits.tasksPerList, version: version, tasks: tasks))
        }
        // The source list contains the tasks, so the store has them in no other list. But a change
        // that is not durable yet may have reserved their ids: the tasks were just inserted, or
        // another list is about to receive them. That change must become durable first.
        if let holder = reservations.reserve(outcome.moved, for: target.cached) {
            throw .blocked(by: holder)
        }
        source.state.list = left
        target.state.list = entered
        let versionOfTarget = target.state.version + (isDryRun ? 0 : 1)
        return WriteEffects(
            Change(
                operations: outcome.departure, deleted: outcome.moved, transfer: .to(target.id)),
            and: Change(
                operations: outcome.arrival, inserted: outcome.moved, transfer: .from(source.id)),
            .transferred(
                outcome, isBlock: move.subject.isBlock,
                to: ListVersion(list: target.id, version: versionOfTarget)))
    }
}

extension MoveRequest.Subject {
    /// The number of tasks in an array; 0 if the request names a single task.
    var namedCount: Int {
        switch self {
        case .tasks(let tasks): tasks.count
        case .rows(let rows): rows.count
        case .task, .row, .path: 0
        }
    }
}
