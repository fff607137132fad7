import Foundation
import Logging
import ReorderMetrics
import ReorderStore
import Synchronization

/// Makes decided versions durable: everything that waits goes into one `append`, so into one sync.
///
/// It has one thread, so that no other thread waits for a sync. With an immediate store the thread that
/// handed something over commits it, because waking another thread costs more than that. Versions of a list
/// arrive in order, because they are handed over under the list's lock, and one thread at a time commits.
final class Committer: Sendable {
    /// What one `append` takes.
    struct Work {
        var entries: [ListEntry] = []
        /// Which entries become durable together with the one before them, or not at all; few.
        var joined: [Int] = []
        var responses: [ResponsesEntry] = []

        var isEmpty: Bool { entries.isEmpty && responses.isEmpty }

        /// Only the entries that are wanted; of those that are joined both are, or neither.
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
        /// Whether a thread commits what was taken from here.
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

    /// Starts the thread, which has the service until `stop`.
    func start(for service: ListService) {
        let thread = Thread { self.run(service) }
        thread.name = "committer"
        thread.start()
    }

    /// Has an observer called after each commit, as long as it lives.
    func add(_ observer: any CommitObserver) { observers.add(observer) }

    /// Whether `stop` was called.
    var isStopping: Bool { queue.withLock(\.isStopping) }

    func enqueue(_ entry: ListEntry) {
        add { $0.entries.append(entry) }
    }

    /// Hands over changes of two lists that are one: both become durable, in this order, or neither.
    func enqueue(_ first: ListEntry, with second: ListEntry) {
        add { work in
            work.entries += [first, second]
            work.joined.append(work.entries.count - 1)
        }
    }

    /// Hands over responses to what changed nothing. What they say must be durable already.
    func enqueue(_ entry: ResponsesEntry) { add { $0.responses.append(entry) } }

    /// If the last commit failed, hands over a small answer that no client asks for, so that it is known
    /// when commits succeed again, also without traffic. The answer has expired, and is removed as others.
    func probe() {
        guard health.isFailing else { return }
        // No list has this id. Keys differ, because other servers may probe the same store.
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

    /// Commits what was handed over, if the store is immediate. To be called after handing over, without a
    /// lock. If another thread commits, that one commits this as well.
    func commitAtOnce(for service: ListService) {
        guard store.isImmediate else { return }
        // Not for ever, however much the others hand over: this thread has more to do.
        for _ in 0..<8 {
            guard commit(for: service) else { return }
        }
        wake.signal()
    }

    /// Commits what still waits, and what that in turn lets others decide, then ends the thread.
    /// Nothing else may be enqueued any more.
    func stop() {
        queue.withLock { $0.isStopping = true }
        wake.signal()
        stopped.wait()
    }

    private func run(_ service: ListService) {
        repeat {
            wake.wait()
            // Where processors are short, the loops first hand over what they are at: larger batches
            // mean fewer syncs. Where they are not, this returns at once.
            sched_yield()
            // An immediate store's threads wake this one to go on; others wake it for each taking.
            while commit(for: service), store.isImmediate || isStopping {}
        } while !queue.withLock(\.hasStopped)
        stopped.signal()
    }

    /// Commits once all that waits.
    ///
    /// - Returns: whether there was anything; false where another thread commits, which will ask
    ///   again.
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

    /// Concludes the entries that can't be stored: versions of an invalidated list build on one that failed, so
    /// they failed with it. So did the changes that are one with them, and all that builds on these.
    ///
    /// - Returns: what can be stored.
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
            // In a shared store most likely because others were faster: then it is tried again.
            service.failed(
                orphaned,
                shared == nil
                    ? .unavailable(reason: "a change that it is one with failed")
                    : .conflict(list: list))
        }
        return work.keeping { !failed.contains(ObjectIdentifier(entries[$0].list)) }
    }
}
