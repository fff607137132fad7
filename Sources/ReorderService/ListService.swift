import Foundation
import Dispatch
import Logging
import ReorderEngine
import ReorderStore
import Synchronization

/// The lists: one writer each, their versions, and the commits that make them durable.
///
/// **The rule behind every response:** a request is decided on the list in memory, which may be ahead of the
/// store, and its response waits until the version it was decided on is durable. That holds for writes, reads
/// and refusals alike, so nothing is ever shown that a crash could still lose.
///
/// Nothing here blocks its thread. What has to be waited for ends the run of the request, which runs again
/// later: see `RequestContext`.
package final class ListService: Sendable {
    package struct Limits: Sendable {
        /// How many tasks a list may hold.
        package var tasksPerList: Int
        /// How many sections a list may have.
        package var sectionsPerList: Int
        /// How much memory lists may take together, in bytes; those in use take what they need.
        package var cacheBytes: Int

        /// Which changes are kept.
        package var history: History

        /// How long answers are kept for those who ask again.
        package var retention: Retention

        package var drags: DragLimits

        package var undos = UndoLimits()

        package init(
            tasksPerList: Int = 1_000_000, sectionsPerList: Int = 10_000,
            cacheBytes: Int = 256 << 20,
            history: History = .standard, retention: Retention = .standard,
            drags: DragLimits = DragLimits()
        ) {
            self.tasksPerList = tasksPerList
            self.sectionsPerList = sectionsPerList
            self.cacheBytes = cacheBytes
            self.history = history
            self.retention = retention
            self.drags = drags
        }
    }

    let store: any ListStore
    let limits: Limits
    let logger: Logger
    let reservations = TaskReservations()
    let committer: Committer
    let cache: ListCache
    let history: HistoryReader
    let channels: SharedObjects<ListChannel>
    let drags: Drags
    /// For what blocks or takes long.
    package let workers = WorkerThreads()
    /// What workers are rendering, and the requests that wait for it.
    let rendering = Mutex<[RenderingSubject: [Reply<any Rendering>]]>([:])
    let undos: UndoQueue
    let claims = KeyClaims()
    let visits = VisitTally()
    /// See `ServiceClock`.
    let clock: @Sendable () -> Date
    /// Where other servers write the store too.
    let sharing: Sharing?
    private let housekeeper: Housekeeper
    private let onLost: @Sendable (_ reason: String) -> Void

    /// - Parameters:
    ///   - onLost: called where a sync failed, so that what is durable is unknown: the process has to
    ///     end, and a restart finds out.
    ///   - clock: the system's clock, which may be wrong: see `ServiceClock`.
    package init(
        store: any ListStore, limits: Limits = Limits(), logger: Logger,
        onLost: @escaping @Sendable (_ reason: String) -> Void,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        epoch = store.epoch
        self.limits = limits
        self.logger = logger
        let serviceClock = ServiceClock(clock, latest: store.latestTime)
        self.clock = serviceClock.now
        self.onLost = onLost
        cache = ListCache(limitBytes: limits.cacheBytes)
        committer = Committer(store: store, logger: logger)
        history = HistoryReader(store: store, logger: logger)
        undos = UndoQueue(limits.undos)
        let (cache, channels) = (cache, SharedObjects<ListChannel>())
        self.channels = channels
        sharing = (store as? any SharedListStore).map {
            Sharing($0, cache, channels, logger)
        }
        drags = Drags(limits.drags) { notice in
            channels.existing(notice.list)?.announce(event: Self.dragEvent, notice.data)
        }
        housekeeper = Housekeeper(
            store: store, history: limits.history, logger: logger, clock: serviceClock.now)
        housekeeper.start { [self] in
            committer.probe()
            commitAtOnce()
        }
        history.start()
        drags.start()
        committer.start(for: self)
    }

    /// Has an observer called after each commit, as long as it lives.
    package func add(_ observer: any CommitObserver) { committer.add(observer) }

    /// After so many seconds no request waits for a store any longer that does not answer: each is told
    /// what became of it, as far as that is known.
    /// Undos that wait are refused at once.
    package func prepareToStop(inSeconds seconds: Double) {
        undos.prepareToStop(inSeconds: seconds)
        sharing?.store.prepareToClose(inSeconds: seconds)
    }

    /// Commits what is decided, answers all who wait, and closes the store. No call may follow.
    package func stop() throws(StoreError) {
        prepareToStop(inSeconds: 2)
        housekeeper.stop()
        drags.stop()
        undos.stop(withinSeconds: 3)
        sharing?.stop()
        workers.stop(withinSeconds: 2)
        committer.stop()
        history.stop()
        try store.close()
    }

    /// Whether the store can be reached and read, and takes changes, as far as is known.
    package var isReady: Bool {
        commitsSucceed && (sharing.map { $0.store.isReachable && $0.lookout.seesLists } ?? true)
    }

    /// Whether the last commit succeeded. If it failed, another is tried every few seconds.
    package var commitsSucceed: Bool { !committer.health.isFailing }

    /// The store's: see `ListStore.epoch`.
    package let epoch: String?

    /// Whether there is no list at all.
    package func isEmpty() throws(StoreError) -> Bool {
        try store.summaries(after: nil, limit: 1).isEmpty
    }

    // MARK: The end of a commit

    /// Commits what was handed over, if that needs no waiting. Without a lock.
    func commitAtOnce() { committer.commitAtOnce(for: self) }

    /// These are durable: watchers hear of them, then the responses may be sent.
    func committed(_ entries: [ListEntry]) {
        for entry in entries {
            reservations.release(entry.commit.insertedTasks, of: entry.list)
            if entry.list.becameDurable(entry.commit.version) { cache.forget(entry.list) }
        }
        publish(entries)
        endDrags(entries)
        for entry in entries { entry.conclude(.durable) }
    }

    /// These are not durable, or nobody knows. Nothing of these lists that is not durable yet ever will be:
    /// they are read again.
    func failed(_ entries: [ListEntry], _ error: StoreError) {
        let outcome: CommitTicket.Outcome
        switch error {
        case .conflict, .taskTaken: outcome = sharing == nil ? .unavailable : .overtaken
        case .lost(let reason):
            outcome = .unavailable
            onLost(reason)
        case .unknown: outcome = .unknown
        case .unavailable, .failed, .corrupt, .refused: outcome = .unavailable
        }
        if case .taskTaken = error { sharing?.suspect(entries.flatMap(\.commit.insertedTasks)) }
        for entry in entries {
            if outcome == .overtaken {
                rewind(entry.list)
            } else {
                entry.list.retire(as: outcome) { reservations.releaseAll(of: entry.list) }
                cache.forget(entry.list)
            }
        }
        for entry in entries { entry.conclude(outcome) }
    }

    /// How many lists are in memory.
    package var loadedListCount: Int { cache.count }
}
