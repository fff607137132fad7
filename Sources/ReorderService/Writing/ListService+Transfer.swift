import Foundation
import ReorderEngine
import ReorderJSON

extension ListService {
    /// Moves tasks into another list, with one commit for both lists. If it throws, both are
    /// unchanged.
    ///
    /// The request's precondition is about the list that the tasks leave.
    func transfer(
        _ move: MoveRequest, _ request: WriteRequest, from source: CachedList,
        to target: CachedList?, at time: Date, _ renderer: some WriteRenderer,
        _ slot: ResponseSlot?
    ) throws(Interruption) -> WriteResult {
        guard let target else { throw .refused(.unavailable) }
        let version = source.state.version
        guard source.state.exists else { throw .refused(.listNotFound(source.id)) }
        guard request.precondition.holds(for: source.id, version: version, exists: true) else {
            throw .refused(.versionMismatch(version: version))
        }
        guard target.state.exists else { throw .refused(.targetListNotFound(target.id)) }
        if !source.isCopy,
            makesLargeSnapshot(of: source) || makesLargeSnapshot(of: target)
                || move.subject.taskCount(in: source.state.list, upTo: limits.tasksOnLoop)
                    > limits.tasksOnLoop
        {
            throw .large(tasks: max(source.state.list.count, target.state.list.count))
        }

        var (left, entered) = (source.state.list, target.state.list)
        left.changeTime = time.milliseconds
        entered.changeTime = time.milliseconds
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
        let step = request.isDryRun ? 0 : 1
        let answer = WriteResult(
            list: source.id, version: version + step, epoch: epoch, changed: true, created: false,
            result: .transferred(
                outcome, isBlock: move.subject.isBlock,
                to: ListVersion(list: target.id, version: target.state.version + step)))
        guard !request.isDryRun else {
            reservations.release(outcome.moved, of: target.cached)
            return answer
        }
        if shared != nil {
            source.state.keepBase()
            target.state.keepBase()
        }
        source.state.list = left
        source.state.version += 1
        target.state.list = entered
        target.state.version += 1
        // The tasks leave before they arrive, so that even within a commit each task is in one
        // list.
        source.state.decided = entry(
            for: Change(
                operations: outcome.departure, deleted: outcome.moved, transfer: .to(target.id),
                responses: slot.map { [$0.response(to: .success(answer), renderer)] } ?? []),
            by: request.client, on: source, at: time)
        target.state.decided = entry(
            for: Change(
                operations: outcome.arrival, inserted: outcome.moved,
                transfer: .from(source.id)),
            by: request.client, on: target, at: time)
        return answer
    }
}

extension MoveRequest.Subject {
    /// Whether the request named an array of tasks.
    var isBlock: Bool { if case .tasks = self { true } else { false } }

    /// The number of tasks in the moved subtrees. Counting stops a little above the limit.
    fileprivate func taskCount(in list: ReorderableList, upTo limit: Int) -> Int {
        switch self {
        case .task(let task): return list.taskCount(under: task, upTo: limit)
        case .row(let row):
            return list.task(atRow: row).map { list.taskCount(under: $0.id, upTo: limit) } ?? 0
        case .tasks(let tasks):
            var count = 0
            for task in tasks where count <= limit {
                count += list.taskCount(under: task, upTo: limit)
            }
            return count
        }
    }
}
