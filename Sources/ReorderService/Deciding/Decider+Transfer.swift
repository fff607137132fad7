import ReorderEngine
import ReorderJSON

extension Decider {
    /// Moves tasks into another list, with one commit for both lists. If it throws, both are
    /// unchanged.
    func transfer(
        _ move: MoveRequest, from source: inout WorkingList, to target: inout WorkingList,
        isDryRun: Bool
    ) throws(Interruption) -> WriteEffects {
        let version = source.version
        var (left, entered) = (source.list, target.list)
        let outcome: TransferOutcome
        do {
            outcome = try left.transfer(move, to: &entered)
        } catch {
            let tasks = ListCommand.move(move).namedTasks(in: source.list)
            throw .refused(.refused(error, version: version, tasks: tasks))
        }
        guard entered.count <= limits.tasksPerList else {
            let tasks = ListCommand.move(move).namedTasks(in: source.list)
            throw .refused(
                .targetListFull(limit: limits.tasksPerList, version: version, tasks: tasks))
        }
        source.list = left
        target.list = entered
        let versionOfTarget = target.version + (isDryRun ? 0 : 1)
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
