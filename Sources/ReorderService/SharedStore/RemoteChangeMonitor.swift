import Logging
import ReorderStore
import Synchronization

/// Notifies the watchers of lists of changes that other servers have made.
///
/// After a notification from the store, it reads the state of the changed list. It reads the state
/// of all watched lists every few seconds, and when a notification may have been missed. The same holds
/// for the tokens that were made over HTTP, which are all read only if others were added or removed (`TokenState`).
final class RemoteChangeMonitor: Sendable {
    private enum PollRequest {
        case lists(Set<String>)
        case all
    }

    /// The tokens to read.
    private struct TokenRequest {
        var ids: Set<String> = []
        /// Whether to read all if their state differs.
        var checksState = false
        var readsAll = false

        mutating func add(_ other: TokenRequest) {
            ids.formUnion(other.ids)
            checksState = checksState || other.checksState
            readsAll = readsAll || other.readsAll
        }
    }

    private let store: any SharedListStore
    private let channels: ListChannels
    private let feed: ChangeFeed
    private let tokens: StoredTokens
    private let request = Mutex(PollRequest.all)
    private let tokenRequest = Mutex(TokenRequest())
    private let environment: ServiceEnvironment
    private let worker: any Worker
    private let schedule: Mutex<Schedule>
    private let isFailing = Atomic<Bool>(false)
    private let logger: Logger

    /// Only the worker uses it.
    private struct Schedule {
        /// The uptime of the next read of all watched lists, independent of notifications.
        var nextPoll: UInt64
        /// Whether the failure of the last read is logged.
        var isLogged = false
    }

    init(
        _ store: any SharedListStore, _ channels: ListChannels, _ feed: ChangeFeed,
        _ tokens: StoredTokens, _ logger: Logger, _ environment: ServiceEnvironment
    ) {
        self.store = store
        self.tokens = tokens
        self.channels = channels
        self.feed = feed
        self.logger = logger
        self.environment = environment
        let nextPoll = environment.uptime(afterSeconds: store.secondsBetweenPolls)
        schedule = Mutex(Schedule(nextPoll: nextPoll))
        worker = environment.makeWorker("remote change monitor", 1)
        worker.start(first: .at(nextPoll)) { self.step() }
        store.listen { [self] news in take(news) }
    }

    /// Whether the last read succeeded.
    var lastPollSucceeded: Bool { !isFailing.load(ordering: .relaxed) }

    func stop() { worker.stopAndJoin() }

    private func take(_ news: StoreNotification) {
        feed.changed()
        switch news {
        case .changed(let list, let version):
            // Ignored if the list has no watcher, or if the change is already known: this server
            // made it.
            guard let channel = channels.existing(list), channel.position.version < version
            else { return }
            let isFirst = request.withLock { request in
                guard case .lists(var lists) = request else { return false }
                let isFirst = lists.isEmpty
                lists.insert(list)
                request = .lists(lists)
                return isFirst
            }
            if isFirst { worker.wake() }
        case .tokenChanged(let id):
            tokenRequest.withLock { _ = $0.ids.insert(id) }
            worker.wake()
        case .tokensChanged:
            tokenRequest.withLock { $0.readsAll = true }
            worker.wake()
        case .possiblyMissed:
            request.withLock { $0 = .all }
            worker.wake()
        }
    }

    private func step() -> NextStep {
        guard !worker.isStopping else { return .end }
        var schedule = schedule.withLock(\.self)
        let request = request.withLock { request in
            defer { request = .lists([]) }
            return environment.uptime() < schedule.nextPoll ? request : .all
        }
        if case .all = request {
            feed.changed()
            tokenRequest.withLock { $0.checksState = true }
        }
        let tokenRequest = tokenRequest.withLock { request in
            defer { request = TokenRequest() }
            return request
        }
        do throws(StoreError) {
            try readTokens(tokenRequest)
            switch request {
            case .lists(let lists): try poll(Array(lists))
            case .all:
                try poll(channels.lists)
                schedule.nextPoll = environment.uptime(afterSeconds: store.secondsBetweenPolls)
            }
            isFailing.store(false, ordering: .relaxed)
            schedule.isLogged = false
        } catch {
            isFailing.store(true, ordering: .relaxed)
            self.tokenRequest.withLock { $0.add(tokenRequest) }
            if case .failed = error, !schedule.isLogged {
                schedule.isLogged = true
                _ = ServiceError.of(error, list: "?", logger)
            }
            // Missed changes are read when the store is reachable again.
            schedule.nextPoll = environment.uptime(afterSeconds: Self.pauseSeconds)
        }
        self.schedule.withLock { $0 = schedule }
        return .at(schedule.nextPoll)
    }

    /// The pause after a failed read.
    private static let pauseSeconds = 0.25

    private func readTokens(_ request: TokenRequest) throws(StoreError) {
        if request.readsAll { return try tokens.refresh() }
        if !request.ids.isEmpty { try tokens.refresh(Array(request.ids)) }
        if request.checksState {
            try tokens.refresh { state throws(StoreError) in try store.tokenState() != state }
        }
    }

    private func poll(_ lists: [String]) throws(StoreError) {
        var rest = lists[...]
        // Query the store even without watched lists, so that an idle server detects whether the
        // store is reachable.
        repeat {
            let lists = rest.prefix(Self.listsPerQuery)
            rest = rest.dropFirst(Self.listsPerQuery)
            let questions = lists.compactMap { list in
                channels.existing(list).map { channel in
                    let version = channel.position.version
                    return ListStateQuery(list: list, known: version > 0 ? version : nil)
                }
            }
            for (list, listState) in try store.listStates(of: questions) {
                channels.existing(list)?.learn(
                    ListPosition(version: listState.version, exists: listState.exists),
                    listState.changes)
            }
        } while !rest.isEmpty
    }

    private static let listsPerQuery = 1_000
}
