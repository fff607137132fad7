import Foundation
import Logging
import ReorderMetrics
import ReorderStore
import Synchronization

/// Makes decided versions durable. All small queued versions are written with one `append`, and so
/// with one sync (group commit).
///
/// It has its own thread, so that no other thread waits for a sync, and a second thread for large
/// commits. With an immediate store, the thread that enqueued a version commits it, because waking
/// another thread costs more. The versions of a list become durable in their order, because they
/// are enqueued under the list's lock, and `CommitQueue` gives the entries of a list to one thread at
/// a time.
final class Committer: Sendable {
    typealias Work = CommitQueue.Work

    private let store: any ListStore
    private let shared: (any SharedListStore)?
    let queue = Mutex(CommitQueue())
    let environment: ServiceEnvironment
    private let workers: PerLane<any Worker>
    let recorder = CommitRecorder()
    let health: CommitHealth
    private let lastProbe = Mutex<CommitTicket?>(nil)
    let observers = CommitObservers()

    init(store: any ListStore, logger: Logger, _ environment: ServiceEnvironment) {
        self.store = store
        self.environment = environment
        workers = PerLane(
            small: environment.makeWorker("committer", 1),
            large: environment.makeWorker("large committer", 1))
        health = CommitHealth(logger: logger)
        shared = store as? any SharedListStore
    }

    /// Starts the threads. They retain the service until `stop`.
    func start(for service: ListService) {
        workers.small.start(first: .whenWoken) { self.step(.small, service) }
        // The first step completes the work that an earlier process has left.
        workers.large.start(first: .at(0)) { self.step(.large, service) }
    }

    /// Calls an observer after each commit. The observer is not retained.
    func add(_ observer: any CommitObserver) { observers.add(observer) }

    /// Whether `stop` was called.
    var isStopping: Bool { queue.withLock(\.isStopping) }

    /// Whether a large commit that is enqueued now has to wait.
    var isLargeLaneBusy: Bool { queue.withLock(\.isLargeLaneBusy) }

    func enqueue(_ entry: QueuedCommit) {
        add { $0.entries.append(entry) }
    }

    /// Enqueues changes of two lists that become durable together, in this order, or not at all.
    func enqueue(_ first: QueuedCommit, with second: QueuedCommit) {
        add { work in
            work.entries += [first, second]
            work.joined.append(work.entries.count - 1)
        }
    }

    /// Enqueues responses to requests that changed nothing. The state that they show must be
    /// durable already.
    func enqueue(_ entry: QueuedResponses) { add { $0.responses.append(entry) } }

    /// Enqueues a small response that belongs to no client, in order to find out whether commits
    /// succeed. It has expired already, and is removed like other expired responses.
    func probe() {
        // A list can't have this id. The keys differ, because other servers may probe the same
        // store.
        let key = StoredResponseKey(.list, of: ".", "probe-\(environment.random())")
        let probe = QueuedResponses(responses: [
            StoredResponse(key: key, at: 0, expires: 1, bytes: [])
        ])
        let isNew = lastProbe.withLock { last in
            guard last?.outcome != .pending else { return false }
            last = probe.ticket
            return true
        }
        if isNew { enqueue(probe) }
    }

    private func add(_ body: (inout Work) -> Void) {
        let (wakesSmall, wakesLarge) = queue.withLock { queue in
            body(&queue.work)
            guard !store.isImmediate else { return (false, false) }
            let isLarge = queue.work.entries.suffix(2).contains { $0.size == .large }
            return (queue.markWoken(.small), isLarge && queue.markWoken(.large))
        }
        if wakesSmall { workers.small.wake() }
        if wakesLarge { workers.large.wake() }
    }

    private func wake(_ lane: CommitLane) {
        if queue.withLock({ $0.markWoken(lane) }) { workers[lane].wake() }
    }

    /// Commits the queue if the store is immediate. Call this after enqueuing, without a lock. If
    /// another thread is committing, that thread commits this work too.
    func commitAtOnce(for service: ListService) {
        guard store.isImmediate else { return }
        // Commits a limited number of times, because other threads may keep enqueuing, and this
        // thread has other work.
        for _ in 0..<8 {
            guard commit(.small, for: service) else { return }
        }
        wake(.small)
    }

    /// Commits the whole queue, then stops the threads. Nothing can be enqueued after that.
    func stop() {
        queue.withLock { $0.isStopping = true }
        for lane in CommitLane.allCases { workers[lane].stop() }
        for lane in CommitLane.allCases { workers[lane].join(until: .max) }
    }

    private func step(_ lane: CommitLane, _ service: ListService) -> NextStep {
        // On a busy machine, lets the event loops enqueue more first: larger batches need fewer
        // syncs. Otherwise this returns immediately.
        sched_yield()
        if lane == .large { tidy() }
        while commit(lane, for: service) {
            if lane == .large { tidy() }
            // With an immediate store, this thread is woken only for remaining work, and commits
            // all of it. With other stores, it is woken for each batch.
            guard store.isImmediate || isStopping || lane == .large else { break }
        }
        guard queue.withLock(\.hasStopped) else { return .whenWoken }
        workers[lane.other].wake()
        return .end
    }

    /// Completes the work of large commits that their responses do not wait for.
    private func tidy() {
        queue.withLock { $0.isTidying = true }
        // If it fails, the next large commit tries again.
        try? store.tidy { !isStopping }
        queue.withLock { $0.isTidying = false }
    }

    /// Takes the work for a lane from the queue, and commits it.
    ///
    /// - Returns: false if the lane has nothing to commit, or if another thread is committing. That
    ///   thread then checks the queue again.
    private func commit(_ lane: CommitLane, for service: ListService) -> Bool {
        guard let taken = queue.withLock({ $0.take(lane) }) else { return false }
        let work = refuseFailed(in: taken, for: service)
        if work.entries.count < taken.entries.count { observers.committed() }
        append(work, for: service)
        let (isStopping, hasMore, hasLarge) = queue.withLock { queue in
            queue.end(lane)
            return (queue.isStopping, !queue.work.entries.isEmpty, queue.hasLarge)
        }
        // Released outside the lock, because releasing a large commit takes long.
        withExtendedLifetime(taken) {}
        observers.committed()
        if isStopping || hasMore { wake(.small) }
        if isStopping || hasLarge { wake(.large) }
        return true
    }

    private func append(_ work: Work, for service: ListService) {
        guard !work.isEmpty else { return }
        if let shared { return append(work, to: shared, for: service) }
        let start = environment.uptime()
        do {
            try store.append(
                work.entries.map(\.commit),
                responses: work.entries.flatMap(\.responses) + work.responses.flatMap(\.responses))
            let end = environment.uptime()
            recorder.committed(work.entries.count, from: start, to: end)
            health.succeeded(at: end)
            service.committed(work.entries)
            for entry in work.responses { entry.ticket.conclude(.durable) }
        } catch {
            recorder.failed()
            health.failed(error, at: environment.uptime())
            service.failed(work.entries, error)
            for entry in work.responses { entry.ticket.conclude(.unavailable) }
        }
    }

    /// Concludes the entries that can't be stored. These are the versions of invalidated lists,
    /// because they are based on a failed version. They are also the entries joined with these
    /// versions, and all versions that are based on such entries.
    ///
    /// - Returns: the entries that can be stored.
    private func refuseFailed(in work: Work, for service: ListService) -> Work {
        let entries = work.entries
        var failed: Set<ObjectIdentifier> = []
        for entry in entries where entry.list.isInvalidated {
            guard let outcome = entry.list.failure else { continue }
            failed.insert(ObjectIdentifier(entry.list))
            entry.ticket.conclude(outcome)
        }
        guard !failed.isEmpty else { return work }
        var count: Int
        repeat {
            count = failed.count
            for index in work.joined {
                let pair = [index - 1, index].map { ObjectIdentifier(entries[$0].list) }
                if !failed.isDisjoint(with: pair) { failed.formUnion(pair) }
            }
        } while failed.count > count
        let orphaned = entries.filter {
            failed.contains(ObjectIdentifier($0.list)) && $0.ticket.outcome == .pending
        }
        if let list = orphaned.first?.list.id {
            // In a shared store, the likely reason is a faster server. Then the requests are tried
            // again.
            service.failed(
                orphaned,
                shared == nil
                    ? .unavailable(reason: "the other list's change of the same transfer failed")
                    : .conflict(list: list))
        }
        return work.keeping { !failed.contains(ObjectIdentifier(entries[$0].list)) }
    }
}
