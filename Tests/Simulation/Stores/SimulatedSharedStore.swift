import ReorderStore

/// The notifications of a shared store to all its servers.
///
/// `@unchecked Sendable`: one thread uses a whole simulation.
final class NotificationHub: @unchecked Sendable {
    private let scheduler: Scheduler
    private let faults: Set<Scenario.Fault>
    private var listeners: [(store: SimulatedSharedStore, take: (StoreNotification) -> Void)] = []
    var isCalm = false

    init(_ scheduler: Scheduler, _ faults: Set<Scenario.Fault>) {
        self.scheduler = scheduler
        self.faults = faults
    }

    func add(_ store: SimulatedSharedStore, _ take: @escaping (StoreNotification) -> Void) {
        listeners.append((store, take))
        deliver(.possiblyMissed, to: take)
    }

    func remove(_ connection: StoreConnection) {
        listeners.removeAll { $0.store.connection === connection }
    }

    /// Notifies all servers, late, in any order, and at times repeatedly or not at all.
    func notify(_ commits: [ListCommit]) {
        for commit in commits { notify(.changed(list: commit.list, version: commit.version)) }
    }

    func notify(_ news: StoreNotification) {
        for (_, take) in listeners {
            if faults.contains(.notification), !isCalm, scheduler.random.chance(10) {
                scheduler.count("notification")
                // The listener notices only at times that its connection was lost.
                if scheduler.random.chance(50) { deliver(.possiblyMissed, to: take) }
                continue
            }
            deliver(news, to: take)
            if scheduler.random.chance(3) { deliver(news, to: take) }
        }
    }

    private func deliver(
        _ news: StoreNotification, to take: @escaping (StoreNotification) -> Void
    ) {
        let delay = UInt64(scheduler.random.below(20)) * Scheduler.millisecond
        scheduler.add(Delivery("notification", at: scheduler.now + delay, scheduler) { take(news) })
    }
}

/// Calls a function once at a time.
final class Delivery: Part {
    private let scheduler: Scheduler
    private let body: () -> Void

    init(_ name: String, at time: UInt64, _ scheduler: Scheduler, _ body: @escaping () -> Void) {
        self.scheduler = scheduler
        self.body = body
        super.init(name)
        due = time
    }

    override func step() {
        scheduler.remove(self)
        body()
    }
}

/// One server's view of a store that several servers write.
///
/// `@unchecked Sendable`: one thread uses a whole simulation.
final class SimulatedSharedStore: SimulatedStore, SharedListStore, @unchecked Sendable {
    let connection: StoreConnection
    private let hub: NotificationHub
    private var closesAt = UInt64.max
    private var onRewound: ((StoreRewind) -> Void)?

    /// - Parameter order: does some work when no part is inside a step.
    init(
        _ connection: StoreConnection, _ hub: NotificationHub,
        order: @escaping (@escaping () -> Void) -> Void
    ) {
        self.connection = connection
        self.hub = hub
        connection.onLoss = { [weak self] in
            order {
                guard let self, !self.connection.isDead else { return }
                self.onRewound?(StoreRewind(reason: "the store went back"))
            }
        }
    }

    let secondsBetweenPolls = 2.0

    func addToken(_ token: StoredToken) throws(StoreError) -> Bool {
        try connection.reach()
        defer { hub.notify(.tokenChanged(id: token.id)) }
        return try connection.medium.memory.addToken(token)
    }

    func removeTokens(_ ids: [String]) throws(StoreError) {
        try connection.reach()
        defer { for id in ids { hub.notify(.tokenChanged(id: id)) } }
        try connection.medium.memory.removeTokens(ids)
    }

    private var restores: Int { connection.medium.restores }

    var isReachable: Bool {
        !connection.isDead && !connection.hasLost
            && (connection.isCalm || connection.scheduler.now >= connection.isAwayUntil)
    }

    func tokenState() throws(StoreError) -> TokenState {
        TokenState(of: try tokens().map(\.id))
    }

    func append(
        _ groups: [CommitGroup], whileUnknown: () -> Void
    ) throws(StoreError) -> [StoreError?] {
        connection.wait()
        if connection.failsCommit() {
            guard connection.scheduler.random.chance(10) else {
                throw .unavailable(reason: "the commit failed")
            }
            let milliseconds = UInt64(connection.scheduler.random.below(3_000))
            connection.isAwayUntil = connection.scheduler.now + milliseconds * Scheduler.millisecond
        }
        try connection.reach()
        if connection.has(.unknown, oneIn: 60) {
            return try loseConnection(groups, whileUnknown)
        }
        let outcomes = write(groups)
        connection.wait()
        if connection.isDead { throw .unavailable(reason: "the server has ended") }
        return outcomes
    }

    private func write(_ groups: [CommitGroup]) -> [StoreError?] {
        defer { connection.see() }
        return groups.map { group in
            do throws(StoreError) {
                try connection.medium.append(group.commits, responses: group.responses)
                hub.notify(group.commits)
                return nil
            } catch {
                return error
            }
        }
    }

    /// The connection is lost during the commit, for some seconds or for longer than callers wait.
    private func loseConnection(
        _ groups: [CommitGroup], _ whileUnknown: () -> Void
    ) throws(StoreError) -> [StoreError?] {
        let scheduler = connection.scheduler
        let isWritten = scheduler.random.chance(50)
        let restores = restores
        var outcomes = isWritten ? write(groups) : []
        let lost = scheduler.now
        let duration = UInt64(scheduler.random.below(8_000)) * Scheduler.millisecond
        connection.isAwayUntil = lost + duration
        while scheduler.now < connection.isAwayUntil, !connection.isDead, !connection.isCalm {
            whileUnknown()
            if scheduler.now >= min(closesAt, lost + 5 * Scheduler.second) {
                if !isWritten, scheduler.random.chance(50) {
                    let delay = UInt64(scheduler.random.below(5_000)) * Scheduler.millisecond
                    let late = Delivery("late commit", at: scheduler.now + delay, scheduler) {
                        // A restored database knows nothing of it.
                        if self.restores == restores { _ = self.write(groups) }
                    }
                    scheduler.add(late)
                }
                throw .unknown(reason: "the connection was lost")
            }
            let before = scheduler.now
            scheduler.block(for: 200 * Scheduler.millisecond)
            // At the deepest level, nothing else runs and no time passes.
            if scheduler.now == before { break }
        }
        if connection.isDead { throw .unavailable(reason: "the server has ended") }
        // The database that took over does not have the commit, or can't be trusted to have it.
        if self.restores != restores { throw .unknown(reason: "the store went back") }
        if !isWritten { outcomes = write(groups) }
        return outcomes
    }

    func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        beforeVisible()
        if commits.isEmpty, responses.map(\.key).areDocuments {
            return try write(document: responses)
        }
        let groups = [CommitGroup(commits: commits, responses: responses)]
        if let error = try append(groups, whileUnknown: {}).first ?? nil { throw error }
    }

    func listStates(
        of questions: [ListStateQuery]
    ) throws(StoreError) -> [String: StoredListState] {
        connection.wait()
        try connection.reach()
        var states: [String: StoredListState] = [:]
        for question in questions { states[question.list] = try state(of: question) }
        // The reply is on its way.
        connection.wait()
        return states
    }

    private func state(of question: ListStateQuery) throws(StoreError) -> StoredListState? {
        let memory = connection.medium.memory
        guard let stored = try memory.load(question.list) else { return nil }
        var changes: [StoredChange] = []
        if let known = question.known {
            changes = try memory.changes(of: question.list, after: known, limit: 8) ?? []
            if known + changes.count != stored.version { changes = [] }
        }
        return StoredListState(
            version: stored.version, exists: stored.content != nil,
            snapshotVersion: stored.content?.snapshotVersion ?? 0,
            snapshotBytes: stored.content?.snapshot.count ?? 0, changes: changes)
    }

    func responses(to keys: [StoredResponseKey]) throws(StoreError) -> [StoredResponseKey:
        StoredResponse]
    {
        if keys.areDocuments { return try documents(keys) }
        connection.wait()
        try connection.reach()
        return try connection.medium.memory.responses(to: keys)
    }

    func listen(_ onNews: @escaping @Sendable (StoreNotification) -> Void) {
        hub.add(self) { [connection] news in
            if !connection.isDead { onNews(news) }
        }
    }

    func whenRewound(_ body: @escaping @Sendable (StoreRewind) -> Void) { onRewound = body }

    func prepareToClose(inSeconds seconds: Double) {
        closesAt = min(closesAt, connection.scheduler.now + UInt64(seconds * 1e9))
    }

    func close() throws(StoreError) { hub.remove(connection) }
}
