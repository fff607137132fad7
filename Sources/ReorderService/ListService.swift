import Foundation
import Logging
import ReorderEngine
import ReorderStore
import Synchronization

/// Reads and changes lists. Each list has a version, and one writer at a time. Commits make the
/// versions durable.
///
/// **The rule behind every response:** a request is decided on the list in memory, which may be
/// ahead of the store. The response waits until the version that it was decided on is durable. This
/// applies to writes, reads and refusals, so a crash never loses anything that a client has seen.
///
/// A request that must wait for a load, a commit or another server does not block its thread: its
/// run ends, and it runs again later (see `RequestContext`). With the file store, lookups of a few
/// rows by their keys run at once, on the event loop.
package final class ListService: Sendable {
    package struct Limits: Sendable {
        /// The maximum number of tasks in a list.
        package var tasksPerList: Int
        /// The maximum number of sections in a list.
        package var sectionsPerList: Int
        /// The maximum memory for cached lists in bytes. Lists in use can exceed it.
        package var cacheBytes: Int

        /// Which changes are stored.
        package var history: HistoryRetention

        /// How long responses are stored for repeated requests.
        package var retention: ResponseRetention

        /// How long deleted lists can be restored.
        package var bin: BinRetention

        package var drags: DragLimits

        package var undos = UndoLimits()

        /// The maximum number of tasks that a request handles on an event loop's thread. Workers
        /// handle larger requests.
        package var tasksOnLoop = 1_000

        package var pieces = PieceSizes()

        /// The size above which a commit is large. Large commits have their own thread, so that
        /// they do not delay the commits of other lists.
        package var largeCommit = LargeCommit()

        package init(
            tasksPerList: Int = 1_000_000, sectionsPerList: Int = 10_000,
            cacheBytes: Int = 256 << 20,
            history: HistoryRetention = .standard, retention: ResponseRetention = .standard,
            bin: BinRetention = .standard, drags: DragLimits = DragLimits()
        ) {
            self.tasksPerList = tasksPerList
            self.sectionsPerList = sectionsPerList
            self.cacheBytes = cacheBytes
            self.history = history
            self.retention = retention
            self.bin = bin
            self.drags = drags
        }
    }

    let store: any ListStore
    package let limits: Limits
    let logger: Logger
    let reservations: TaskReservations
    let committer: Committer
    let cache: ListCache
    let history: HistoryReader
    package let feed: ChangeFeed
    let channels: WeakRegistry<ListChannel>
    let drags: DragRegistry
    /// Threads for work that blocks or takes long.
    package let workers: WorkerThreads
    /// The renderings that workers are making, and the requests that wait for them.
    let rendering = Mutex<[CachedResponseSubject: [Reply<any CachedResponse>]]>([:])
    let undos: UndoQueue
    let decider: Decider
    let claims = KeyClaims()
    /// The lists that requests restore from the bin.
    let restores = KeyClaims()
    let cacheUse = CacheUseRecorder()
    package let environment: ServiceEnvironment
    /// See `ServiceClock`.
    let clock: ServiceClock
    private let clockWatch: ClockWatch
    /// nil if this server is the only one that writes the store.
    let shared: SharedStoreAccess?
    private let retentionWorker: RetentionWorker
    private let onLost: @Sendable (_ reason: String) -> Void

    /// - Parameters:
    ///   - onLost: called if a sync failed. It is then unknown which changes are durable. The
    ///     process must end; the next start reads the store again.
    ///   - environment: clocks, random numbers and threads.
    package init(
        store: any ListStore, limits: Limits = Limits(), logger: Logger,
        onLost: @escaping @Sendable (_ reason: String) -> Void,
        environment: ServiceEnvironment = .system
    ) {
        self.store = store
        epoch = store.epoch
        self.limits = limits
        self.logger = logger
        self.environment = environment
        clock = ServiceClock(environment, latest: store.latestTime)
        clockWatch = ClockWatch(environment, latest: store.latestTime, logger)
        self.onLost = onLost
        reservations = TaskReservations(piece: limits.pieces.reservedIDs)
        cache = ListCache(limitBytes: limits.cacheBytes)
        workers = WorkerThreads(environment)
        committer = Committer(store: store, logger: logger, environment)
        history = HistoryReader(store: store, logger: logger, environment)
        let feed = ChangeFeed(store: store, limits.pieces, logger: logger, environment)
        self.feed = feed
        let undos = UndoQueue(limits.undos, environment)
        self.undos = undos
        decider = Decider(limits: limits, epoch: store.epoch) { undos.mayContinue }
        let (cache, channels) = (cache, WeakRegistry<ListChannel>())
        self.channels = channels
        shared = (store as? any SharedListStore).map {
            SharedStoreAccess($0, cache, channels, feed, logger, environment)
        }
        drags = DragRegistry(limits.drags, channels, environment)
        retentionWorker = RetentionWorker(
            store: store, history: limits.history, bin: limits.bin, limits.pieces, logger: logger,
            clock: clock, environment)
        retentionWorker.start(for: self)
        history.start()
        feed.start()
        drags.start()
        committer.start(for: self)
    }

    /// Calls an observer after each commit. The observer is not retained.
    package func add(_ observer: any CommitObserver) { committer.add(observer) }

    /// Limits the time that requests wait for a store that does not respond. After this number of
    /// seconds they fail: with `outcomeUnknown` if their change may be stored, otherwise with
    /// `unavailable`. Waiting undos fail immediately.
    package func prepareToStop(inSeconds seconds: Double) {
        undos.prepareToStop(inSeconds: seconds)
        shared?.store.prepareToClose(inSeconds: seconds)
    }

    /// Commits everything that is decided, completes all waiting requests, and closes the store.
    /// Call nothing else after this.
    package func stop() throws(StoreError) {
        prepareToStop(inSeconds: 2)
        retentionWorker.stop()
        drags.stop()
        undos.stop(withinSeconds: 3)
        shared?.stop()
        workers.stop(withinSeconds: 2)
        committer.stop()
        history.stop()
        feed.stop()
        try store.close()
    }

    /// Whether the store is reachable and readable and accepts changes, as far as is known.
    package var isReady: Bool {
        commitsSucceed
            && (shared.map { $0.store.isReachable && $0.remoteChangeMonitor.lastPollSucceeded }
                ?? true)
    }

    /// Whether the last commit succeeded. After a failure, the service tries a commit every few
    /// seconds.
    package var commitsSucceed: Bool { !committer.health.isFailing }

    /// Starts a commit without content, so that `isReady` is known before the first change.
    package func tryCommit() {
        committer.probe()
        commitAtOnce()
    }

    /// See `ListStore.epoch`.
    package let epoch: String

    /// Whether no list exists.
    package func isEmpty() throws(StoreError) -> Bool {
        try store.summaries(after: nil, limit: 1).isEmpty
    }

    // MARK: The end of a commit

    /// Commits the queued changes if the store needs no waiting. Call this without holding a lock.
    func commitAtOnce() { committer.commitAtOnce(for: self) }

    /// Stores responses to requests that changed nothing. The state that they show must be durable
    /// already.
    func commit(_ responses: [StoredResponse]) -> CommitTicket {
        let entry = QueuedResponses(responses: responses)
        committer.enqueue(entry)
        commitAtOnce()
        return entry.ticket
    }

    /// If the last commit failed, starts another one, without waiting for the store. Also checks the system's clock.
    func probe() {
        clockWatch.check()
        if !commitsSucceed { tryCommit() }
    }

    /// Publishes changes that have become durable to the watchers, then releases their responses.
    func committed(_ entries: [QueuedCommit]) {
        for entry in entries {
            reservations.release(entry.commit.insertedTasks, of: entry.list)
            if entry.list.becameDurable(entry.commit.version) { cache.remove(entry.list) }
        }
        publish(entries)
        feed.changed()
        endDrags(entries)
        for entry in entries { entry.ticket.conclude(.durable) }
    }

    /// Handles a commit that failed or has an unknown outcome. Later changes of these lists fail
    /// too, because they are based on it. The lists are reset to their last durable version, or
    /// loaded again.
    func failed(_ entries: [QueuedCommit], _ error: StoreError) {
        let outcome: CommitTicket.Outcome
        switch error {
        case .conflict, .taskTaken: outcome = shared == nil ? .unavailable : .overtaken
        case .lost(let reason):
            outcome = .unavailable
            onLost(reason)
        case .unknown: outcome = .unknown
        case .unavailable, .failed, .corrupt, .refused: outcome = .unavailable
        }
        if case .taskTaken = error {
            shared?.recordRefusedIDs(entries.flatMap(\.commit.insertedTasks))
        }
        for entry in entries {
            if outcome == .overtaken {
                rewind(entry.list)
            } else {
                entry.list.invalidate(as: outcome) { reservations.releaseAll(of: entry.list) }
                cache.remove(entry.list)
            }
        }
        for entry in entries { entry.ticket.conclude(outcome) }
    }

    /// The number of lists in memory.
    package var loadedListCount: Int { cache.count }
}
