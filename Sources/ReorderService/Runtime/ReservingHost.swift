import Foundation
import ReorderEngine
import ReorderStore

extension ListService {
    /// Decides a write under the locks of its lists, or on copies for a worker. The committer's
    /// entries of the new versions are in `decided`. If it throws, the lists are unchanged.
    func decide(
        _ request: WriteRequest, on lists: Transaction, _ facts: Facts, at time: Date,
        _ renderer: some WriteRenderer
    ) throws(Interruption) -> Decision {
        if case .copy = request.action, let source = lists.other, !source.state.isDurable {
            // A copy of a change that then fails would be a copy of something that never was.
            throw .blocked(by: source.cached)
        }
        let host = ReservingHost(self, lists)
        var working = lists.take()
        defer { lists.put(working) }
        // To go back to, if another server is faster.
        let before = shared == nil || request.isDryRun || host.isWorker ? nil : working
        let decision: Decision
        do throws(Interruption) {
            decision = try decider.decide(request, on: &working, facts, at: time, host, renderer)
        } catch {
            host.release(keeping: [])
            throw error
        }
        host.release(keeping: decision.commits)
        for (index, decided) in decision.commits.enumerated() {
            guard let list = lists.list(decided.commit.list) else { continue }
            if let base = before?.list(list.id) { list.state.keepBase(base) }
            list.state.decided = QueuedCommit(
                commit: decided.commit, list: list.cached,
                responses: index == 0 ? decision.responses : [], size: size(of: decided))
        }
        return decision
    }

    /// A task that the store has in another list, if there is one.
    func firstTask(
        among tasks: [TaskID], notIn list: String
    ) throws(StoreError) -> TaskID? {
        // In parts, because a store's commits may wait while it reads.
        for start in stride(from: 0, to: tasks.count, by: limits.tasksOnLoop) {
            let piece = Array(tasks[start..<min(start + limits.tasksOnLoop, tasks.count)])
            let holders = try store.lists(containing: piece)
            shared?.clear(piece.filter { holders[$0] == nil })
            // If the store's entry is for this list, a version that is not durable yet has deleted
            // the task.
            if let taken = holders.first(where: { $0.value != list }) { return taken.key }
        }
        return nil
    }

    private func size(of decided: DecidedCommit) -> QueuedCommit.Size {
        if store.isImmediate { return .small }
        let (commit, deleted) = (decided.commit, decided.countInDeletedList)
        if limits.largeCommit.isExceeded(by: commit, deleting: deleted) { return .large }
        return Self.mediumCommit.isExceeded(by: commit, deleting: deleted) ? .medium : .small
    }

    /// Commits up to this size take about a millisecond.
    private static let mediumCommit = LargeCommit(tasks: 100, bytes: 64 << 10)
}

/// Reserves the ids of new tasks while a write is decided. Not thread-safe.
private final class ReservingHost: DecisionHost {
    private let service: ListService
    private let lists: Transaction
    private var reserved: [(tasks: [TaskID], list: CachedList)] = []

    init(_ service: ListService, _ lists: Transaction) {
        self.service = service
        self.lists = lists
    }

    var isWorker: Bool { lists.list.isCopy }

    var mayStoreLargeSnapshot: Bool { !service.committer.isLargeLaneBusy }

    func taken(_ tasks: [TaskID], for list: String) throws(Interruption) -> TaskID? {
        try reserve(tasks, for: list)
        do throws(StoreError) {
            // A shared store is queried only for ids that it has refused before. Otherwise each
            // insertion would wait for the store under a lock.
            let asked = service.shared.map { $0.refusedIDs(among: tasks) } ?? tasks
            return try service.firstTask(among: asked, notIn: list)
        } catch {
            throw .refused(service.failure(error, list: list))
        }
    }

    /// The source list contains the tasks, so the store has them in no other list. But a change that
    /// is not durable yet may have reserved their ids: the tasks were just inserted, or another list
    /// is about to receive them. That change must become durable first.
    func move(_ tasks: [TaskID], into list: String) throws(Interruption) {
        try reserve(tasks, for: list)
    }

    private func reserve(_ tasks: [TaskID], for list: String) throws(Interruption) {
        guard let list = lists.list(list)?.cached else { throw .refused(.unavailable) }
        if let holder = service.reservations.reserve(tasks, for: list) {
            throw .blocked(by: holder)
        }
        reserved.append((tasks, list))
    }

    /// Releases all reservations, except one for each task that a commit inserts. The end of the
    /// commit releases that one.
    func release(keeping commits: [DecidedCommit]) {
        guard !reserved.isEmpty else { return }
        var kept = commits.reduce(into: [:]) { kept, decided in
            kept[decided.commit.list] = Set(decided.commit.insertedTasks)
        }
        for (tasks, list) in reserved {
            let surplus = tasks.filter { kept[list.id]?.remove($0) == nil }
            service.reservations.release(surplus, of: list)
        }
    }
}
