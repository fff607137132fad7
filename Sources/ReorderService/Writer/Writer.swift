import Foundation
import ReorderEngine
import ReorderStore
import Synchronization

/// Decides all writes, one after another, and makes them durable in batches.
///
/// A batch is decided on copies of the published lists. One append with one sync makes it durable.
/// Then all its lists are published at once, and its writes get their outcomes. If the append fails,
/// the batch is dropped.
///
/// In a shared store, the groups of a batch stand or fall separately. The writes of a group that is
/// refused, because another server was faster, are decided again in the next batch.
///
/// `@unchecked Sendable`: the writer's thread alone uses the state except `inbox` and `counts`. For speed (80
/// instructions an access), overlapping accesses to what each write uses are not detected at run time.
final class Writer: @unchecked Sendable {
    /// A message of another thread to the writer. Nearly all are writes.
    enum Message {
        /// A list that writes wait for is in memory, or can't be loaded.
        indirect case loaded(String, ServiceError?)
        /// A worker has decided a write.
        case decided(LargeWork)
        /// A large append has ended.
        indirect case appended(LargeWork, StoreError?)
        /// A response that belongs to no client, to find out whether appends succeed.
        indirect case probe(StoredResponse)
    }

    private struct Inbox {
        var writes: [PendingWrite] = []
        var messages: [Message] = []
        var isProbing = false
        var isClosed = false
        var isEmpty: Bool { writes.isEmpty && messages.isEmpty }
    }

    /// The numbers of what waits, for other threads.
    private struct Counts {
        var ready = 0
        var parked = 0
        var holds = 0
        var keys = 0
    }

    let durable: DurableLists
    let decider: Decider
    private let inbox = Mutex(Inbox())
    private let counts = Mutex(Counts())
    private let worker: any Worker
    let largeAppends: LargeAppends

    /// Writes to decide, in order.
    @exclusivity(unchecked) var ready: [PendingWrite] = []
    /// Writes that wait for lists that are being loaded.
    @exclusivity(unchecked) var parked: [String: [PendingWrite]] = [:]
    /// The lists that large work holds.
    @exclusivity(unchecked) var holds: [String: LargeWork] = [:]
    /// The keys of the requests that have no outcome yet.
    var keys: Set<StoredResponseKey> = []

    init(_ durable: DurableLists, _ decider: Decider) {
        self.durable = durable
        self.decider = decider
        worker = durable.environment.makeWorker("writer", 1)
        largeAppends = LargeAppends(durable.store, durable.environment)
    }

    /// Starts the threads. They retain the writer until `stop`.
    func start() {
        largeAppends.start { self.appendLarge($0) }
        worker.start(first: .whenWoken) { self.step() }
    }

    /// The numbers of what waits, by name.
    var load: [String: Int] {
        let waiting = inbox.withLock(\.writes.count)
        let counts = counts.withLock(\.self)
        return [
            "waiting writes": waiting + counts.ready, "parked writes": counts.parked,
            "held lists": counts.holds, "claimed keys": counts.keys,
        ]
    }

    private func noteCounts() {
        counts.withLock { counts in
            counts = Counts(
                ready: ready.count, parked: parked.count, holds: holds.count, keys: keys.count)
        }
    }

    /// - Returns: false if the server is stopping; then the write gets no outcome.
    func enqueue(_ write: PendingWrite) -> Bool { put { $0.writes.append(write) } }

    /// Makes the writer append something small, unless that is about to happen.
    func probe(_ response: StoredResponse) {
        let isNew = inbox.withLock { inbox in
            defer { inbox.isProbing = true }
            return !inbox.isProbing
        }
        if isNew { post(.probe(response)) }
    }

    func post(_ message: Message) { put { $0.messages.append(message) } }

    @discardableResult private func put(_ add: (inout Inbox) -> Void) -> Bool {
        let (isTaken, isFirst) = inbox.withLock { inbox in
            guard !inbox.isClosed else { return (false, false) }
            let isFirst = inbox.isEmpty
            add(&inbox)
            return (true, isFirst)
        }
        if isFirst { worker.wake() }
        return isTaken
    }

    /// Completes the queued writes, refuses those that wait for something else, and stops the threads.
    /// Call it when no worker decides any more.
    func stop() {
        largeAppends.stop()
        worker.stopAndJoin()
    }

    // MARK: The loop

    private func step() -> NextStep {
        // On a busy machine, lets the event loops enqueue more first: larger batches need fewer
        // syncs. Otherwise this returns immediately.
        sched_yield()
        let isStopping = worker.isStopping
        repeat {
            let taken = takeInbox(closes: false)
            ready += taken.writes
            let batch = makeBatch()
            for message in taken.messages { handle(message, batch) }
            decideReady(batch)
            commit(batch)
        } while !ready.isEmpty || hasMessages
        guard isStopping else { return .whenWoken }
        refuseAll()
        return .end
    }

    /// Whether there is more to do. Lets the event loops enqueue more first, because to sleep and to be
    /// woken costs more.
    private var hasMessages: Bool {
        if inbox.withLock({ !$0.isEmpty }) { return true }
        sched_yield()
        return inbox.withLock { !$0.isEmpty }
    }

    private func takeInbox(closes: Bool) -> Inbox {
        inbox.withLock { inbox in
            defer { inbox = Inbox(isProbing: inbox.isProbing, isClosed: closes) }
            return inbox
        }
    }

    private func handle(_ message: Message, _ batch: WriterBatch) {
        batch.beginDecision()
        switch message {
        case .loaded(let list, let error):
            let writes = parked.removeValue(forKey: list) ?? []
            guard let error else { return ready.insert(contentsOf: writes, at: 0) }
            for write in writes {
                if case .unreadable = error, write.request.action.isPermanentDeletion,
                    write.unreadable == nil
                {
                    write.unreadable = list
                    ready.insert(write, at: 0)
                } else {
                    batch.add(write, .failed(error))
                }
            }
        case .decided(let work): accept(work, batch)
        case .appended(let work, let error): settle(work, error, batch)
        case .probe(let response):
            inbox.withLock { $0.isProbing = false }
            batch.probes.append(response)
        }
    }

    private func decideReady(_ batch: WriterBatch) {
        var count = 0
        var later: [PendingWrite] = []
        while count < ready.count, batch.hasRoom {
            let write = ready[count]
            if !decide(write, batch) { later.append(write) }
            count += 1
        }
        ready.removeFirst(count)
        ready.insert(contentsOf: later, at: 0)
    }

    private func refuseAll() {
        var refused = parked.values.flatMap(\.self)
        for (list, work) in holds where list == work.listIDs[0] {
            refused += work.waiting + [work.write]
        }
        (parked, holds) = ([:], [:])
        refused += takeInbox(closes: true).writes
        for write in refused { write.outcome = .failed(.unavailable) }
        answer(refused)
    }

    /// Refuses the writes that wait for their turn, because the store can't be reached.
    private func refuseWaiting() {
        guard durable.shared?.isReachable == false else { return }
        var refused = ready
        ready = []
        refused += inbox.withLock { inbox in
            defer { inbox.writes = [] }
            return inbox.writes
        }
        for write in refused { write.outcome = .failed(.unavailable) }
        answer(refused)
    }

    // MARK: The end of a batch

    private func commit(_ batch: WriterBatch) {
        noteCounts()
        guard let shared = durable.shared else { return commitAsOne(batch) }
        let groups = batch.groups.filter { !$0.content.isEmpty }
        let probe = CommitGroup(commits: [], responses: batch.probes)
        let stored = (groups.map(\.content) + [probe]).filter { !$0.isEmpty }
        let errors = stored.isEmpty ? [] : durable.append(stored, to: shared) { refuseWaiting() }
        publish(zip(stored, errors).filter { $0.1 == nil }.flatMap(\.0.commits), batch)
        var reasons = [StoreError?](repeating: nil, count: batch.decided.count)
        for (group, error) in zip(groups, errors) {
            for index in group.writes { reasons[index] = error }
        }
        settle(batch) { reasons[$0] }
    }

    /// Gives writes their outcomes, or puts them back.
    ///
    /// - Parameter error: why what a write depends on was not stored, by its index; nil if it was.
    private func settle(_ batch: WriterBatch, after error: (Int) -> StoreError?) {
        var settled: [PendingWrite] = []
        settled.reserveCapacity(batch.decided.count)
        for (index, decided) in batch.decided.enumerated() {
            if let error = error(index), !decided.isOwn {
                let commits = batch.commits[decided.commits]
                guard let outcome = outcome(of: decided.write, storing: commits, after: error)
                else {
                    ready.append(decided.write)
                    continue
                }
                decided.write.outcome = outcome
            }
            settled.append(decided.write)
        }
        answer(settled)
    }

    /// - Parameter error: why it was not stored.
    /// - Returns: nil if the write must be decided again, because another server or a large append was
    ///   faster.
    func outcome(
        of write: PendingWrite, storing commits: some Collection<ListCommit>,
        after error: StoreError
    ) -> PendingWrite.Outcome? {
        let isShared = durable.shared != nil
        if isShared, case .taskTaken = error {
            durable.refusedIDs.insert(Array(commits.flatMap(\.insertedTasks).prefix(1_000)))
        }
        if case .unknown = error, !commits.isEmpty { return .failed(.outcomeUnknown) }
        guard error.isOvertaken, write.mayTryAgain(isShared: isShared, durable.environment)
        else { return .failed(.unavailable) }
        return nil
    }

    private func commitAsOne(_ batch: WriterBatch) {
        let commits = batch.commits
        let responses = batch.probes + batch.responses
        var error: StoreError?
        if !commits.isEmpty || !responses.isEmpty {
            error = durable.append(commits, responses, .small) { publish(commits, batch) }
        }
        settle(batch) { _ in error }
    }

    private func publish(_ commits: [ListCommit], _ batch: WriterBatch) {
        guard !commits.isEmpty else { return }
        durable.publish(batch.snapshots(of: commits), commits)
    }

    /// Passes outcomes on when everything that they may depend on is published: a large append can just
    /// have become visible in the store.
    private func answer(_ writes: [PendingWrite]) {
        guard !writes.isEmpty else { return }
        for write in writes {
            if write.hasKey, let key = write.request.key { keys.remove(key.responseKey) }
            for list in write.pinned { durable.published.unpin(list) }
        }
        noteCounts()
        durable.publication.whenPublished { for write in writes { write.answer() } }
    }
}
