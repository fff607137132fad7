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
        /// How much memory lists may take together, in bytes; those in use take what they need.
        package var cacheBytes: Int

        /// Which changes are kept.
        package var history: History

        /// How long answers are kept for those who ask again.
        package var retention: Retention

        package var drags: DragLimits

        package init(
            tasksPerList: Int = 1_000_000, cacheBytes: Int = 256 << 20,
            history: History = .standard, retention: Retention = .standard,
            drags: DragLimits = DragLimits()
        ) {
            self.tasksPerList = tasksPerList
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
    /// Where changes to be taken back are looked for: whoever asks must not wait for that.
    let undoing = DispatchQueue(label: "undo")
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
        committer = Committer(store: store)
        history = HistoryReader(store: store)
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
        housekeeper.start()
        history.start()
        drags.start()
        committer.start { [self] in committed($0, $1) }
    }

    /// After so many seconds no request waits for a store any longer that does not answer: each is told
    /// what became of it, as far as that is known.
    package func prepareToStop(inSeconds seconds: Double) {
        sharing?.store.prepareToClose(inSeconds: seconds)
    }

    /// Commits what is decided, answers all who wait, and closes the store. No call may follow.
    package func stop() throws(StoreError) {
        prepareToStop(inSeconds: 2)
        housekeeper.stop()
        drags.stop()
        undoing.sync {}
        sharing?.stop()
        committer.stop()
        history.stop()
        try store.close()
    }

    /// Whether the store can be reached and read, as far as is known.
    package var isReady: Bool {
        sharing.map { $0.store.isReachable && $0.lookout.seesLists } ?? true
    }

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
        logger.error("a commit failed", metadata: ["error": "\(error)"])
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

    // MARK: Lists in memory

    /// Decides something on a list, and gives the result once what it was decided on is durable.
    func decide<Value: Sendable>(
        on id: String, keepingAnswers: Bool = false, _ completion: @escaping Completion<Value>,
        _ body: @escaping @Sendable (LoadedList, inout LoadedList.State) -> Decision<Value>
    ) {
        guard let sharing else {
            return decide(on: id, as: nil, keepingAnswers: keepingAnswers, completion, body)
        }
        whenCurrent([id], with: sharing, refuse: { completion(.failure($0)) }) { currency in
            self.decide(on: id, as: currency, keepingAnswers: keepingAnswers, completion, body)
        }
    }

    /// - Parameter currency: where the list stands in the store, where other servers write that too.
    private func decide<Value: Sendable>(
        on id: String, as currency: Currency?, keepingAnswers: Bool,
        _ completion: @escaping Completion<Value>,
        _ body: @escaping @Sendable (LoadedList, inout LoadedList.State) -> Decision<Value>
    ) {
        do throws(ServiceError) {
            let decision = try withList(id, currency) { list, state -> Decision<Value>? in
                if let obstacle: Decision<Value> = bring(list, &state, to: currency) {
                    return obstacle
                }
                let decision = body(list, &state)
                guard case .result(let result) = decision, !state.isDurable
                else { return decision }
                state.waiters.append(
                    LoadedList.Waiter(version: state.version) { isDurable in
                        if isDurable { return completion(result) }
                        self.fail(
                            list.failure, currency, keepingAnswers: keepingAnswers, completion)
                    })
                return nil
            }
            switch decision {
            case .result(let result): completion(result)
            case .after(let other):
                other.whenDurable { _ in
                    if let currency { return currency.again() }
                    self.decide(on: id, keepingAnswers: keepingAnswers, completion, body)
                }
            case .anew(let list): readAnew(list, currency)
            case .later: currency?.again()
            case nil: break
            }
        } catch {
            completion(.failure(error))
        }
    }

    enum Decision<Value: Sendable>: Sendable {
        case result(Result<Value, ServiceError>)
        /// It can't be decided before what is decided on another list is durable: then once more.
        case after(LoadedList)
        /// It can't be decided before the list was read from the store again.
        case anew(LoadedList)
        /// It can't be decided before it was asked again where the lists stand.
        case later
    }

    /// Runs `body` on a list under its lock, read from the store where it is not in memory.
    private func withList<Value>(
        _ id: String, _ currency: Currency?,
        _ body: (LoadedList, inout LoadedList.State) -> Value
    ) throws(ServiceError) -> Value {
        while true {
            let list = cache.list(id)
            var visit = Visit()
            defer { leave(list, visit) }
            let value = try enter(list, currency, &visit) { state throws(ServiceError) in
                body(list, &state)
            }
            if let value { return value }
        }
    }

    /// What the cache is told after a list was used, when its lock is no longer held.
    struct Visit {
        fileprivate var isAbsent = false
        fileprivate var growthBytes = 0
    }

    /// Runs `body` under a list's lock; `nil` where the list is out of use, and has to be asked for
    /// again.
    func enter<Value>(
        _ list: LoadedList, _ currency: Currency?, _ visit: inout Visit,
        _ body: (inout LoadedList.State) throws(ServiceError) -> Value?
    ) throws(ServiceError) -> Value? {
        try list.state.withLock { state throws(ServiceError) -> Value? in
            guard !state.isRetired else { return nil }
            // A list that does not exist takes no memory, however many ids are asked for.
            defer {
                visit.isAbsent = state.isSettledAbsence
                state.isWarm = true
                if visit.isAbsent {
                    state.isRetired = true
                } else {
                    visit.growthBytes = state.takeGrowth()
                }
            }
            if state.isLoaded {
                visits.hits.add()
            } else {
                visits.misses.add()
                try load(list.id, currency?.standings[list.id], into: &state)
            }
            return try body(&state)
        }
    }

    func leave(_ list: LoadedList, _ visit: Visit) {
        if visit.isAbsent { cache.forget(list) } else { cache.charge(visit.growthBytes) }
        commitAtOnce()
    }

    /// How many lists are in memory.
    package var loadedListCount: Int { cache.count }
}
