import Dispatch
import ReorderStore
import StoreTesting
import Synchronization
import Waiting

/// A memory store that several services share, each through its own `SharedFront`.
final class SharedMemory: Sendable {
    let memory = MemoryListStore()
    /// Holds each listener until its front is closed.
    fileprivate let listeners = Mutex<[ObjectIdentifier: @Sendable (StoreNotification) -> Void]>([:]
    )

    /// Writes as another server that sends no notifications.
    func write(_ commits: [ListCommit], responses: [StoredResponse] = []) throws(StoreError) {
        try memory.append(commits, responses: responses)
    }
}

/// One service's view of a shared store. Tests can make it wait and fail.
final class SharedFront: SharedListStore, ForwardingStore {
    private let place: Mutex<SharedMemory>
    /// The store that sends the notifications, even after `turn`.
    private let home: SharedMemory
    private var hub: SharedMemory { place.withLock(\.self) }
    private var memory: MemoryListStore { hub.memory }
    private let tells: Bool
    let appends = Gate()
    let looks = Gate()
    /// Holds calls after a list was read.
    let loads = Gate()
    /// Holds appends at their ends, so that their outcome is unknown.
    let ends = Gate()
    private let isAway = Atomic<Bool>(false)
    private let failure = Mutex<StoreError?>(nil)
    let lookCount = Atomic<Int>(0)
    /// The number of failed reads of states.
    let failedPollCount = Atomic<Int>(0)

    /// Lets calls through: all of them while it is open, one by one while it is closed.
    final class Gate: Sendable {
        private let isClosed = Atomic<Bool>(false)
        private let arrived = DispatchSemaphore(value: 0)
        private let passed = DispatchSemaphore(value: 0)

        func close() { isClosed.store(true, ordering: .sequentiallyConsistent) }

        /// Lets all calls through from now on.
        func open() { isClosed.store(false, ordering: .sequentiallyConsistent) }

        /// Waits until a call is waiting.
        func wait() throws { try arrived.waitForSignal() }

        /// Lets the waiting call through.
        func pass() { passed.signal() }

        /// - Parameter before: called if the gate is closed.
        fileprivate func enter(_ before: () -> Void = {}) {
            guard isClosed.load(ordering: .sequentiallyConsistent) else { return }
            before()
            arrived.signal()
            passed.wait()
        }
    }

    /// - Parameter tells: whether servers are notified of each other's commits.
    init(_ hub: SharedMemory, tells: Bool = true, secondsBetweenPolls: Double = 0.02) {
        self.secondsBetweenPolls = secondsBetweenPolls
        place = Mutex(hub)
        home = hub
        self.tells = tells
    }

    /// Replaces the store with another one.
    func turn(to hub: SharedMemory) { place.withLock { $0 = hub } }

    /// From now on, every call fails as unavailable, or none does.
    func setAway(_ isAway: Bool) { self.isAway.store(isAway, ordering: .sequentiallyConsistent) }

    /// From now on, every call throws this error; nil: none does.
    func fail(_ error: StoreError?) { failure.withLock { $0 = error } }

    private func reach() throws(StoreError) {
        guard isReachable else { throw .unavailable(reason: "away") }
        if let error = failure.withLock(\.self) { throw error }
    }

    var isReachable: Bool { !isAway.load(ordering: .sequentiallyConsistent) }

    let secondsBetweenPolls: Double

    func append(
        _ groups: [CommitGroup], whileUnknown: () -> Void
    ) throws(StoreError) -> [StoreError?] {
        appends.enter()
        var isSent = false
        ends.enter {
            isSent = true
            whileUnknown()
        }
        if isSent, !isReachable { throw .unknown(reason: "away") }
        try reach()
        var outcomes: [StoreError?] = []
        for group in groups {
            do {
                try memory.append(group.commits, responses: group.responses)
                outcomes.append(nil)
                for commit in group.commits where tells { tell(commit) }
            } catch {
                outcomes.append(error)
            }
        }
        return outcomes
    }

    private func tell(_ commit: ListCommit) {
        let news = StoreNotification.changed(list: commit.list, version: commit.version)
        for listener in hub.listeners.withLock({ Array($0.values) }) { listener(news) }
        if commit.stateAfter == .deleted { tell(.tokensChanged) }
    }

    func addToken(_ token: StoredToken) throws(StoreError) -> Bool {
        let isAdded = try destination().addToken(token)
        tell(.tokenChanged(id: token.id))
        return isAdded
    }

    func removeTokens(_ ids: [String]) throws(StoreError) {
        try destination().removeTokens(ids)
        for id in ids { tell(.tokenChanged(id: id)) }
    }

    func tokenState() throws(StoreError) -> TokenState {
        TokenState(of: try destination().tokens().map(\.id))
    }

    private func tell(_ news: StoreNotification) {
        guard tells else { return }
        for listener in hub.listeners.withLock({ Array($0.values) }) { listener(news) }
    }

    func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        beforeVisible()
        if let error = try append(
            [CommitGroup(commits: commits, responses: responses)], whileUnknown: {})[0]
        {
            throw error
        }
    }

    func listStates(
        of questions: [ListStateQuery]
    ) throws(StoreError) -> [String: StoredListState] {
        guard !questions.isEmpty else {
            try reach()
            return [:]
        }
        lookCount.add(1, ordering: .relaxed)
        looks.enter()
        do throws(StoreError) {
            try reach()
        } catch {
            failedPollCount.add(1, ordering: .sequentiallyConsistent)
            throw error
        }
        var listStates: [String: StoredListState] = [:]
        for question in questions {
            guard let stored = try memory.load(question.list) else { continue }
            let changes = try question.known.flatMap { known throws(StoreError) in
                try memory.changes(of: question.list, after: known, limit: 64)
            }
            let isAll = (question.known ?? 0) + (changes?.count ?? 0) == stored.version
            listStates[question.list] = StoredListState(
                version: stored.version, exists: stored.content != nil,
                snapshotVersion: stored.content?.snapshotVersion ?? 0,
                snapshotBytes: stored.content?.snapshot.count ?? 0,
                changes: isAll ? changes ?? [] : [])
        }
        return listStates
    }

    func listen(_ onNews: @escaping @Sendable (StoreNotification) -> Void) {
        guard tells else { return }
        home.listeners.withLock { $0[ObjectIdentifier(self)] = onNews }
        onNews(.possiblyMissed)
    }

    func prepareToClose(inSeconds _: Double) {}

    func load(_ list: String) throws(StoreError) -> LoadedList? {
        try reach()
        let stored = try memory.load(list)
        loads.enter()
        return stored
    }

    func destination() throws(StoreError) -> any ListStore {
        try reach()
        return memory
    }

    func close() throws(StoreError) {
        // The listener is released outside the lock, because releasing it can release other
        // objects.
        _ = home.listeners.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
    }
}
