import Foundation
import Dispatch
import Logging
import ReorderEngine
import ReorderStore
import Synchronization

/// The lists: one writer each, their versions, and the commits that make them durable.
///
/// **The rule behind every answer:** a request is decided on the list in memory, which may be ahead
/// of the store, and its answer waits until the version it was decided on is durable. That holds for
/// writes, reads, and refusals alike, so nothing is ever shown that a crash could still lose.
///
/// No thread sleeps for an answer: completions are called on the calling thread where nothing has
/// to be waited for, else on the committing one. They must be quick.
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

    package typealias Completion<Value> = @Sendable (Result<Value, ServiceError>) -> Void

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
    /// What workers are rendering, and who waits for it.
    let rendering = Mutex<[RenderingSubject: [Completion<any Rendering>]]>([:])
    let undos: UndoQueue
    let claims = Claims()
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
        history = HistoryReader(store: store)
        undos = UndoQueue(limits.undos)
        let (cache, channels) = (cache, SharedObjects<ListChannel>())
        self.channels = channels
        sharing = (store as? any SharedListStore).map {
            Sharing($0, cache, channels) { Self.tell($0, of: $1, logger) }
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
        committer.start { [self] in committed($0, $1) }
    }

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

    // MARK: What a commit's end means

    /// Commits what was handed over, where that needs no waiting. Without a lock.
    func commitAtOnce() { committer.commitAtOnce { committed($0, $1) } }

    private func committed(_ entries: [Committer.Entry], _ error: StoreError?) {
        guard let error else { return finish(entries) }
        var failure = ServiceError.unavailable
        switch error {
        case .conflict, .taskTaken:
            if sharing != nil { return overtaken(entries, error) }
        case .lost(let reason): onLost(reason)
        case .unknown: failure = .outcomeUnknown
        case .unavailable, .failed, .corrupt, .refused: break
        }
        fail(entries, as: failure)
    }

    private func finish(_ entries: [Committer.Entry]) {
        var waiters: [LoadedList.Waiter] = []
        for entry in entries {
            reservations.release(entry.commit.insertedTasks, of: entry.list)
            let isRetired = entry.list.becameDurable(entry.commit.version, &waiters)
            if isRetired { cache.forget(entry.list) }
        }
        publish(entries)
        endDrags(entries)
        for waiter in waiters { waiter.completion(true) }
    }

    /// Nothing of these lists that is not durable yet ever will be, or nobody knows: they are read
    /// again.
    private func fail(_ entries: [Committer.Entry], as failure: ServiceError) {
        var waiters: [LoadedList.Waiter] = []
        for entry in entries {
            waiters += entry.list.retire(as: failure) { reservations.releaseAll(of: entry.list) }
            cache.forget(entry.list)
        }
        for waiter in waiters { waiter.completion(false) }
    }

    /// How many lists are in memory.
    package var loadedListCount: Int { cache.count }
}
