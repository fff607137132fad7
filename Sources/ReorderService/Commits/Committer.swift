import Foundation
import Logging
import ReorderMetrics
import ReorderStore
import Synchronization

/// Makes decided versions durable. All queued versions are written with one `append`, and so with
/// one sync (group commit).
///
/// It has its own thread, so that no other thread waits for a sync. With an immediate store, the
/// thread that enqueued a version commits it, because waking another thread costs more. The
/// versions of a list arrive in order, because they are enqueued under the list's lock, and only
/// one thread commits at a time.
final class Committer: Sendable {
    /// The input of one `append`.
    struct Work {
        var entries: [ListEntry] = []
        /// The indices of entries that become durable together with the entry before them or not at
        /// all. There are few.
        var joined: [Int] = []
        var responses: [ResponsesEntry] = []

        var isEmpty: Bool { entries.isEmpty && responses.isEmpty }

        /// Keeps only some entries. Joined entries must both be kept or both be removed.
        func keeping(_ isWanted: (Int) -> Bool) -> Work {
            var kept = Work(responses: responses)
            var joined = joined[...]
            for (index, entry) in entries.enumerated() {
                let isJoined = joined.first == index
                if isJoined { joined.removeFirst() }
                guard isWanted(index) else { continue }
                if isJoined { kept.joined.append(kept.entries.count) }
                kept.entries.append(entry)
            }
            return kept
        }
    }

    struct Queue {
        var work = Work()
        /// Whether a thread is committing work from this queue.
        var isCommitting = false
        var isStopping = false

        var hasStopped: Bool { isStopping && !isCommitting && work.isEmpty }
    }

    private let store: any ListStore
    private let shared: (any SharedListStore)?
    let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)
    let recorder = CommitRecorder()
    let health: CommitHealth
    private let lastProbe = Mutex<CommitTicket?>(nil)
    let observers = CommitObservers()

    init(store: any ListStore, logger: Logger) {
        self.store = store
        health = CommitHealth(logger: logger)
        shared = store as? any SharedListStore
    }

    /// Starts the thread. It retains the service until `stop`.
    func start(for service: ListService) {
        let thread = Thread { self.run(service) }
        thread.name = "committer"
        thread.start()
    }

    /// Calls an observer after each commit. The observer is not retained.
    func add(_ observer: any CommitObserver) { observers.add(observer) }

    /// Whether `stop` was called.
    var isStopping: Bool { queue.withLock(\.isStopping) }

    func enqueue(_ entry: ListEntry) {
        add { $0.entries.append(entry) }
    }

    /// Enqueues changes of two lists that become durable together, in this order, or not at all.
    func enqueue(_ first: ListEntry, with second: ListEntry) {
        add { work in
            work.entries += [first, second]
            work.joined.append(work.entries.count - 1)
        }
    }

    /// Enqueues responses to requests that changed nothing. The state that they show must be
    /// durable already.
    func enqueue(_ entry: ResponsesEntry) { add { $0.responses.append(entry) } }

    /// If the last commit failed, enqueues a small response that belongs to no client, in order to
    /// detect when commits succeed again. It has expired already, and is removed like other expired
    /// responses.
    func probe() {
        guard health.isFailing else { return }
        // A list can't have this id. The keys differ, because other servers may probe the same
        // store.
        let key = StoredResponseKey(.list, of: ".", "probe-\(UInt64.random(in: 0 ... .max))")
        let probe = ResponsesEntry([StoredResponse(key: key, at: 0, expires: 1, bytes: [])])
        let isNew = lastProbe.withLock { last in
            guard last?.outcome != .pending else { return false }
            last = probe
            return true
        }
        if isNew { enqueue(probe) }
    }

    private func add(_ body: (inout Work) -> Void) {
        let wasEmpty = queue.withLock { queue in
            defer { body(&queue.work) }
            return queue.work.isEmpty
        }
        if wasEmpty, !store.isImmediate { wake.signal() }
    }

    /// Commits the queue if the store is immediate. Call this after enqueuing, without a lock. If
    /// another thread is committing, that thread commits this work too.
    func commitAtOnce(for service: ListService) {
        guard store.isImmediate else { return }
        // A limited number of times, because this thread has other work even if others keep
        // enqueuing.
        for _ in 0..<8 {
            guard commit(for: service) else { return }
        }
        wake.signal()
    }

    /// Commits the queue, including versions that this makes possible, then stops the thread.
    /// Nothing else can be enqueued.
    func stop() {
        queue.withLock { $0.isStopping = true }
        wake.signal()
        stopped.wait()
    }

    private func run(_ service: ListService) {
        repeat {
            wake.wait()
            // On a busy machine, lets the event loops enqueue more first: larger batches need fewer
            // syncs. Otherwise this returns immediately.
            sched_yield()
            // An immediate store's threads wake this thread only for remaining work; others wake it
            // for each batch.
            while commit(for: service), store.isImmediate || isStopping {}
        } while !queue.withLock(\.hasStopped)
        stopped.signal()
    }

    /// Commits the queue once.
    ///
    /// - Returns: whether there was work; false if another thread is committing, which checks the
    ///   queue again.
    private func commit(for service: ListService) -> Bool {
        let taken = queue.withLock { queue -> Work? in
            guard !queue.isCommitting, !queue.work.isEmpty else { return nil }
            queue.isCommitting = true
            defer { queue.work = Work() }
            return queue.work
        }
        guard let taken else { return false }
        let work = refuseFailed(in: taken, for: service)
        if work.entries.count < taken.entries.count { observers.committed() }
        append(work, for: service)
        let isStopping = queue.withLock { queue in
            queue.isCommitting = false
            return queue.isStopping
        }
        observers.committed()
        if isStopping { wake.signal() }
        return true
    }

    private func append(_ work: Work, for service: ListService) {
        guard !work.isEmpty else { return }
        if let shared { return append(work, to: shared, for: service) }
        let start = DispatchTime.now().uptimeNanoseconds
        do {
            try store.append(
                work.entries.map(\.commit),
                responses: work.entries.flatMap(\.responses) + work.responses.flatMap(\.responses))
            recorder.committed(work.entries.count, since: start)
            health.succeeded()
            service.committed(work.entries)
            for entry in work.responses { entry.conclude(.durable) }
        } catch {
            recorder.failed()
            health.failed(error)
            service.failed(work.entries, error)
            for entry in work.responses { entry.conclude(.unavailable) }
        }
    }

    /// Concludes the entries that can't be stored: versions of an invalidated list, because they
    /// are based on a failed one; the changes joined with them; and all versions based on these.
    ///
    /// - Returns: the entries that can be stored.
    private func refuseFailed(in work: Work, for service: ListService) -> Work {
        let entries = work.entries
        var failed: Set<ObjectIdentifier> = []
        for entry in entries where entry.list.isInvalidated {
            guard let outcome = entry.list.failure else { continue }
            failed.insert(ObjectIdentifier(entry.list))
            entry.conclude(outcome)
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
            failed.contains(ObjectIdentifier($0.list)) && $0.outcome == .pending
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
