import Foundation
import Logging
import ReorderMetrics
import ReorderStore
import Synchronization

/// Makes decided versions durable: everything that waits goes into one `append`, so into one sync.
///
/// One thread of its own, so that nobody else waits for a sync. An immediate store has none: there
/// whoever handed something over commits it, for waking a thread costs more than that. Versions of
/// a list arrive in order, because they are handed over under the list's lock, and one thread at a
/// time commits.
final class Committer: Sendable {
    /// An object: it is handed on many times.
    final class Entry: Sendable {
        let commit: ListCommit
        let list: LoadedList
        /// What clients are told of it, where they may ask again.
        let answers: [StoredAnswer]

        init(commit: ListCommit, list: LoadedList, answers: [StoredAnswer]) {
            self.commit = commit
            self.list = list
            self.answers = answers
        }
    }

    /// Answers that tell of no change.
    struct AnswersAlone {
        var answers: [StoredAnswer]
        var completion: @Sendable (_ areDurable: Bool) -> Void
    }

    /// What one `append` takes.
    struct Work {
        var entries: [Entry] = []
        /// Which entries become durable together with the one before them, or not at all; few.
        var joined: [Int] = []
        var answers: [AnswersAlone] = []

        var isEmpty: Bool { entries.isEmpty && answers.isEmpty }

        /// Only the entries that are wanted; of those that are joined both are, or neither.
        func keeping(_ isWanted: (Int) -> Bool) -> Work {
            var kept = Work(answers: answers)
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
    let tally = CommitTally()
    let health: CommitHealth
    private let isProbing = Atomic<Bool>(false)

    init(store: any ListStore, logger: Logger) {
        self.store = store
        health = CommitHealth(logger: logger)
        shared = store as? any SharedListStore
    }

    /// Called on the committing thread after each `append`, with all that it held and the error that
    /// kept it from becoming durable, if any.
    typealias Completion = @Sendable ([Entry], StoreError?) -> Void

    func start(_ completion: @escaping Completion) {
        let thread = Thread { self.run(completion) }
        thread.name = "committer"
        thread.start()
    }

    /// Whether `stop` was called.
    var isStopping: Bool { queue.withLock(\.isStopping) }

    func enqueue(_ entry: Entry) {
        add { $0.entries.append(entry) }
    }

    /// Hands over changes of two lists that are one: both become durable, in this order, or neither.
    func enqueue(_ first: Entry, with second: Entry) {
        add { work in
            work.entries += [first, second]
            work.joined.append(work.entries.count - 1)
        }
    }

    /// Hands over answers to what changed nothing. What they tell of must be durable already.
    ///
    /// - Parameter completion: called once, on the committing thread.
    func enqueue(
        _ answers: [StoredAnswer], _ completion: @escaping @Sendable (_ areDurable: Bool) -> Void
    ) {
        add { $0.answers.append(AnswersAlone(answers: answers, completion: completion)) }
    }

    /// If the last commit failed, hands over a small answer that no client asks for, so that it is known
    /// when commits succeed again, also without traffic. The answer has expired, and is removed as others.
    func probe() {
        guard health.isFailing, !isProbing.exchange(true, ordering: .relaxed) else { return }
        // No list has this id. Keys differ, because other servers may probe the same store.
        let key = AnswerKey(.list, of: ".", "probe-\(UInt64.random(in: 0 ... .max))")
        enqueue([StoredAnswer(key: key, at: 0, expires: 1, bytes: [])]) { _ in
            self.isProbing.store(false, ordering: .relaxed)
        }
    }

    private func add(_ body: (inout Work) -> Void) {
        let wasEmpty = queue.withLock { queue in
            defer { body(&queue.work) }
            return queue.work.isEmpty
        }
        if wasEmpty, !store.isImmediate { wake.signal() }
    }

    /// Commits what was handed over, where the store is immediate. To be called after handing over,
    /// without a lock. Where another thread is at it, that one commits this as well.
    func commitAtOnce(_ completion: Completion) {
        guard store.isImmediate else { return }
        // Not for ever, however much the others hand over: this thread has more to do.
        for _ in 0..<8 {
            guard commit(completion) else { return }
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

    private func run(_ completion: Completion) {
        repeat {
            wake.wait()
            // Where processors are short, the loops first hand over what they are at: larger batches
            // mean fewer syncs. Where they are not, this returns at once.
            sched_yield()
            // An immediate store's threads wake this one to go on; others wake it for each taking.
            while commit(completion), store.isImmediate || isStopping {}
        } while !queue.withLock(\.hasStopped)
        stopped.signal()
    }

    /// Commits once all that waits.
    ///
    /// - Returns: whether there was anything; false where another thread commits, which will ask
    ///   again.
    private func commit(_ completion: Completion) -> Bool {
        let taken = queue.withLock { queue -> Work? in
            guard !queue.isCommitting, !queue.work.isEmpty else { return nil }
            queue.isCommitting = true
            defer { queue.work = Work() }
            return queue.work
        }
        guard let taken else { return false }
        defer {
            let isStopping = queue.withLock { queue in
                queue.isCommitting = false
                return queue.isStopping
            }
            if isStopping { wake.signal() }
        }
        let (valid, orphaned) = Self.split(taken)
        if let list = orphaned.first?.list.id {
            // In a shared store most likely because others were faster: then it is tried again.
            completion(
                orphaned,
                shared == nil
                    ? .unavailable(reason: "a change that it is one with failed")
                    : .conflict(list: list))
        }
        guard !valid.isEmpty else { return true }
        if let shared {
            append(valid, to: shared, completion)
            return true
        }
        let start = DispatchTime.now().uptimeNanoseconds
        do {
            try store.append(
                valid.entries.map(\.commit),
                answers: valid.entries.flatMap(\.answers) + valid.answers.flatMap(\.answers))
            tally.committed(valid.entries.count, since: start)
            health.succeeded()
            completion(valid.entries, nil)
            for alone in valid.answers { alone.completion(true) }
        } catch {
            tally.failed()
            health.failed(error)
            completion(valid.entries, error)
            for alone in valid.answers { alone.completion(false) }
        }
        return true
    }

    /// Versions of a retired list build on one that failed: they failed with it. So do the changes
    /// that are one with them, which other lists wait for, and all that is to be stored with these.
    ///
    /// - Returns: what can be stored, and what can't though its list is still in use.
    private static func split(_ work: Work) -> (valid: Work, orphaned: [Entry]) {
        let entries = work.entries
        var failed: Set<ObjectIdentifier> = []
        for entry in entries where entry.list.isRetired {
            failed.insert(ObjectIdentifier(entry.list))
        }
        guard !failed.isEmpty else { return (work, []) }
        let retired = failed
        var count: Int
        repeat {
            count = failed.count
            for index in work.joined {
                let pair = [index - 1, index].map { ObjectIdentifier(entries[$0].list) }
                if !failed.isDisjoint(with: pair) { failed.formUnion(pair) }
            }
        } while failed.count > count
        let valid = work.keeping { !failed.contains(ObjectIdentifier(entries[$0].list)) }
        let orphaned = failed.subtracting(retired)
        return (valid, entries.filter { orphaned.contains(ObjectIdentifier($0.list)) })
    }
}
