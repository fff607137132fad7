import Foundation
import Logging
import ReorderEngine
import ReorderStore

/// Reads and changes lists. Each list has a version.
///
/// **The rule behind every response:** durable state is in one map of published lists, which all reads
/// see. State that is not durable is in one batch of one thread, the writer. So a crash never loses
/// anything that a client has seen.
///
/// An operation that must wait for a load, the writer or another server does not block its thread: it
/// has a `Completion`. Functions that block say so; workers call them.
package final class ListService: Sendable {
    let store: any ListStore
    package let limits: ServiceLimits
    let logger: Logger
    /// The lists, as they are durable.
    let durable: DurableLists
    /// The thread that decides all writes.
    let writer: Writer
    let publication: Publication
    /// The lists of a shared store as they are now, and the lists that contain tasks; nil if this
    /// server is the only one that writes the store.
    let currentLists: CurrentLists?
    let holderLoader: BatchingLoader<TaskID, String>?
    let remoteChangeMonitor: RemoteChangeMonitor?
    let history: HistoryReader
    let changeQueries = Coalescer<ChangesQuery, [StoredChange]?>()
    package let feed: ChangeFeed
    let tokens: StoredTokens
    let channels: ListChannels
    let drags: DragRegistry
    /// Threads for work that blocks or takes long.
    package let workers: WorkerThreads
    /// Workers make them.
    let renderings = Coalescer<CachedResponseSubject, any CachedResponse>()
    /// The reads of lists in the bin.
    let restores = Coalescer<ListVersion, BinnedList?>()
    let undos: UndoQueue
    let decider: Decider
    package let environment: ServiceEnvironment
    /// See `ServiceClock`.
    let clock: ServiceClock
    private let clockWatch: ClockWatch
    let retentionWorker: RetentionWorker
    let rewind = RewindSignal()

    /// - Parameters:
    ///   - onLost: called if a sync failed (`lost`; it is then unknown which changes are durable), or the
    ///     store's files were replaced (`refused`). The process must end; the next start reads the store
    ///     again.
    ///   - environment: clocks, random numbers and threads.
    package init(
        store: any ListStore, limits: ServiceLimits = ServiceLimits(), logger: Logger,
        onLost: @escaping @Sendable (StoreError) -> Void,
        environment: ServiceEnvironment = .system
    ) {
        self.store = store
        epoch = store.epoch
        self.limits = limits
        self.logger = logger
        self.environment = environment
        clock = ServiceClock(
            environment, latest: store.latestTime, trusted: store.trustedTime)
        // If the database does not respond, the retention worker reads its time later.
        try? clock.follow(store)
        clockWatch = ClockWatch(environment, latest: store.latestTime, logger)
        workers = WorkerThreads(environment)
        publication = Publication()
        history = HistoryReader(store: store, publication, logger: logger, environment)
        feed = ChangeFeed(history, limits.pieces)
        tokens = StoredTokens(store)
        let (channels, undos) = (ListChannels(), UndoQueue(limits.undos, environment))
        (self.channels, self.undos) = (channels, undos)
        drags = DragRegistry(limits.drags, channels, environment)
        decider = Decider(
            limits: limits, epoch: store.epoch, makeID: { UUIDv7.make(environment) },
            mayContinue: { undos.mayContinue })
        durable = DurableLists(
            store, limits, workers, publication, logger, environment,
            onPublished: { [feed, drags] in Self.announce($0, channels, feed, drags) },
            onCaughtUp: { [drags] in Self.endDrags(ofGoneFrom: $0, drags) }, onLost: onLost)
        writer = Writer(durable, decider)
        if let shared = durable.shared {
            currentLists = CurrentLists(durable, shared)
            holderLoader = BatchingLoader("holders", environment) { [durable] error, _ in
                durable.failure(error, list: "?")
            } _: { tasks throws(StoreError) in
                try shared.lists(containing: tasks)
            }
            remoteChangeMonitor = RemoteChangeMonitor(
                shared, channels, feed, tokens, logger, environment)
        } else {
            (currentLists, holderLoader, remoteChangeMonitor) = (nil, nil, nil)
        }
        retentionWorker = RetentionWorker(
            store: store, history: limits.history, bin: limits.bin, limits.pieces, logger: logger,
            clock: clock, environment)
        retentionWorker.start { self.probe() }
        history.start()
        drags.start()
        writer.start()
        durable.shared?.whenRewound { [weak self] in self?.end(after: $0) }
    }

    /// Limits the time that requests wait for a store that does not respond. After this number of
    /// seconds they fail: with `outcomeUnknown` if their change may be stored, otherwise with
    /// `unavailable`. Waiting undos fail immediately.
    package func prepareToStop(inSeconds seconds: Double) {
        undos.prepareToStop(inSeconds: seconds)
        durable.shared?.prepareToClose(inSeconds: seconds)
    }

    /// Commits everything that is decided, completes all waiting requests, and closes the store.
    /// Call nothing else after this.
    package func stop() throws(StoreError) {
        prepareToStop(inSeconds: 2)
        retentionWorker.stop()
        drags.stop()
        undos.stop(withinSeconds: 3)
        remoteChangeMonitor?.stop()
        holderLoader?.stop()
        currentLists?.stop()
        workers.stop(withinSeconds: 2)
        writer.stop()
        history.stop()
        try store.close()
    }

    /// Whether the store is reachable and readable, as far as is known.
    package var isReadable: Bool {
        durable.shared?.isReachable ?? true
            && remoteChangeMonitor?.lastPollSucceeded ?? true
    }

    /// Whether it also accepts changes.
    package var isReady: Bool { isReadable && commitsSucceed }

    /// Whether the last commit succeeded. After a failure, the service tries a commit every few
    /// seconds.
    package var commitsSucceed: Bool { !durable.health.isFailing }

    /// Starts a commit without content, so that `isReady` is known before the first change.
    package func tryCommit() {
        // A small response that belongs to no client. It has expired already, and is removed like
        // other expired responses. A list can't have this id. The keys differ, because other servers
        // may probe the same store.
        let key = StoredResponseKey(.list, of: ".", "probe-\(environment.random())")
        writer.probe(StoredResponse(key: key, at: 0, expires: 1, bytes: []))
    }

    /// The time for new timestamps, in milliseconds since 1970.
    package var now: Int64 { clock.now().milliseconds }

    /// The time by which something has expired and can be deleted, in milliseconds since 1970.
    package var expiryTime: Int64 { clock.expiry().milliseconds }

    /// See `ListStore.epoch`.
    package let epoch: String

    /// Whether no list exists.
    package func isEmpty() throws(StoreError) -> Bool {
        try store.summaries(after: nil, limit: 1).isEmpty
    }

    // MARK: The end of a commit

    /// Repeats a commit and a read of the feed that failed, without waiting for the store. Also checks the system's clock, and the
    /// store's files.
    func probe() {
        clockWatch.check()
        durable.checkFiles()
        feed.retry()
        if !commitsSucceed { tryCommit() }
    }

    /// Tells the watchers of durable changes, and ends the drags of tasks that have left their list.
    private static func announce(
        _ commits: [ListCommit], _ channels: ListChannels, _ feed: ChangeFeed,
        _ drags: DragRegistry
    ) {
        if !channels.isEmpty {
            for commit in commits { channels.existing(commit.list)?.publish(commit) }
        }
        feed.changed()
        guard !drags.isEmpty else { return }
        drags.change { table, _ in
            for commit in commits {
                if commit.stateAfter == .deleted {
                    table.remove(nil, from: commit.list)
                } else if !commit.deletedTasks.isEmpty {
                    table.remove(commit.deletedTasks, from: commit.list)
                }
            }
        }
    }

    /// Ends the drags whose tasks other servers have removed from a list.
    static func endDrags(ofGoneFrom list: WorkingList, _ drags: DragRegistry) {
        guard !drags.isEmpty else { return }
        drags.change { table, _ in table.remove(from: list.id) { !list.list.contains($0) } }
    }

    /// The number of lists in memory.
    package var loadedListCount: Int { durable.published.count }
}
