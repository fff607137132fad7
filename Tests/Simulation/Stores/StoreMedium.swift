import ReorderStore
import StoreTesting

/// The part of a store that survives the crash of a server: its content, and the servers to notify.
///
/// `@unchecked Sendable`: one thread uses a whole simulation.
final class StoreMedium: @unchecked Sendable {
    private(set) var memory = MemoryListStore()
    /// Everything that was written, if the store can be restored.
    private var appends: [(commits: [ListCommit], responses: [StoredResponse])] = []
    private let isRecording: Bool
    /// All changes, by position.
    private(set) var marks: [JournalMark] = []
    private var lastNumber = 0
    /// The number of restores so far.
    private(set) var restores = 0
    /// See `ListStore.epoch`.
    private(set) var epoch = firstEpoch
    /// The epoch of a new store, the same in each run.
    static let firstEpoch = "000000000000"
    /// When each stored response expires, in milliseconds since 1970.
    private(set) var expiries: [StoredResponseKey: Int64] = [:]
    /// Sees all commits at the moment when they become durable.
    var onCommit: ([ListCommit]) -> Void = { _ in }
    /// Sees commits that are refused because they do not fit the store, although one server only
    /// uses it.
    var onConflict: (StoreError) -> Void = { _ in }
    private(set) var latestTime: Int64?
    /// The number of durable commits.
    var commitCount = 0
    /// Called after a reply that lacks a commit from the meantime.
    var onLateReply: () -> Void = {}

    init(isRecording: Bool) { self.isRecording = isRecording }

    /// Writes all commits and responses, or throws and writes none.
    func append(_ commits: [ListCommit], responses: [StoredResponse]) throws(StoreError) {
        try memory.append(commits, responses: responses)
        if isRecording { appends.append((commits, responses)) }
        for commit in commits {
            lastNumber += 1
            marks.append(
                JournalMark(
                    position: marks.count + 1, number: lastNumber, list: commit.list,
                    version: commit.version))
        }
        for commit in commits { latestTime = max(latestTime ?? commit.at, commit.at) }
        onCommit(commits)
        stored(responses)
    }

    func stored(_ responses: [StoredResponse]) {
        for response in responses { expiries[response.key] = response.expires }
    }

    /// Forgets the times of responses that are no longer stored.
    func forget(_ keys: some Sequence<StoredResponseKey>) {
        for key in keys { expiries[key] = nil }
    }

    /// The number of appends so far, as a backup of this moment.
    var backup: Int { appends.count }

    /// Whether a restore of a backup would lose changes.
    func hasChanges(after backup: Int) -> Bool {
        appends[backup...].contains { !$0.commits.isEmpty }
    }

    /// The epoch that the first server begins that notices a rewind, or that starts after it.
    private var nextEpoch: String?

    func beginEpoch() {
        epoch = nextEpoch ?? epoch
        nextEpoch = nil
    }

    /// Like `restore`, but the epoch has not begun yet.
    func rewind(to backup: Int, nextEpoch: String) throws(StoreError) {
        try restore(backup, epoch: epoch)
        self.nextEpoch = nextEpoch
    }

    /// Replaces the content with that of an earlier moment.
    func restore(_ backup: Int, epoch: String) throws(StoreError) {
        restores += 1
        (self.epoch, nextEpoch) = (epoch, nil)
        memory = MemoryListStore()
        (latestTime, expiries) = (nil, [:])
        appends.removeSubrange(backup...)
        marks.removeSubrange(appends.reduce(0) { $0 + $1.commits.count }...)
        for append in appends {
            try memory.append(append.commits, responses: append.responses)
            for commit in append.commits { latestTime = max(latestTime ?? commit.at, commit.at) }
            stored(append.responses)
        }
    }
}

/// The connection of one run of a server to the store, and its faults.
///
/// `@unchecked Sendable`: one thread uses a whole simulation.
final class StoreConnection: @unchecked Sendable {
    let medium: StoreMedium
    let scheduler: Scheduler
    let faults: Set<Scenario.Fault>
    /// Whether calls never wait.
    private(set) var isImmediate: Bool
    /// The epoch when the server started.
    let epoch: String
    /// Whether the server has ended.
    var isDead = false
    /// Whether no more faults are made.
    var isCalm = false
    /// Calls fail until this time.
    var isAwayUntil: UInt64 = 0
    /// Half of all commits fail until this time.
    private var failsOftenUntil: UInt64 = 0
    /// Commits fail until this time.
    var isFullUntil: UInt64 = 0
    /// Calls that begin before this time end at it.
    var hangsUntil: UInt64 = 0
    /// Calls a function later, when the store has gone back; nil if the store can't go back while it is
    /// open.
    var onLoss: (() -> Void)?
    /// Whether the store went back. Then no call succeeds.
    private(set) var hasLost = false
    /// The last change that the server has seen, and the number of restores then.
    private var seen: JournalMark?
    private var restoresSeen: Int

    init(
        _ medium: StoreMedium, _ scheduler: Scheduler, _ faults: Set<Scenario.Fault>,
        isImmediate: Bool
    ) {
        self.isImmediate = isImmediate
        self.medium = medium
        restoresSeen = medium.restores
        medium.beginEpoch()
        epoch = medium.epoch
        self.scheduler = scheduler
        self.faults = faults
    }

    func has(_ fault: Scenario.Fault, oneIn count: Int) -> Bool {
        guard faults.contains(fault), !isCalm, scheduler.random.below(count) == 0 else {
            return false
        }
        scheduler.count(fault.rawValue)
        scheduler.lastDelay = scheduler.now
        return true
    }

    /// Whether something now delays its calls, or what the server finds out with them.
    var isDelayed: Bool {
        scheduler.now < max(hangsUntil, isAwayUntil) || hasLost || mayBeBehind
    }

    /// Calls of the store while a server starts: nothing else happens meanwhile.
    func withoutWaiting(_ body: () throws -> Void) rethrows {
        let before = (isImmediate, isCalm)
        (isImmediate, isCalm) = (true, true)
        defer { (isImmediate, isCalm) = before }
        try body()
    }

    /// Lets other threads run while this one waits for a device or a network.
    func wait() {
        guard !isDead, !isImmediate else { return }
        if scheduler.now < hangsUntil { return scheduler.block(until: hangsUntil) }
        let microseconds = scheduler.random.chance(15) ? 60_000 : 3_000
        var duration = UInt64(scheduler.random.below(microseconds)) * 1_000
        if has(.slow, oneIn: 20) {
            duration = UInt64(scheduler.random.below(2_000)) * Scheduler.millisecond
        }
        if has(.slow, oneIn: 1_000) { duration = 20 * Scheduler.second }
        scheduler.block(for: duration)
    }

    /// Decides at random whether a commit fails. It can take long to fail. For some seconds after a
    /// failure, half of all commits fail.
    func failsCommit() -> Bool {
        guard has(.failure, oneIn: scheduler.now < failsOftenUntil ? 2 : 20) else { return false }
        if scheduler.now >= failsOftenUntil {
            let milliseconds = UInt64(scheduler.random.below(4_000))
            failsOftenUntil = scheduler.now + milliseconds * Scheduler.millisecond
        }
        if !isImmediate {
            scheduler.block(for: UInt64(scheduler.random.below(100)) * Scheduler.millisecond)
        }
        return true
    }

    /// - Throws: if the server has ended, or the store can't be reached.
    func reach() throws(StoreError) {
        if isDead { throw .unavailable(reason: "the server has ended") }
        if isCalm { (isAwayUntil, isFullUntil) = (0, 0) }
        if scheduler.now < isAwayUntil { throw .unavailable(reason: "the store cannot be reached") }
        try checkPast()
    }

    /// Like `PastCheck` of the PostgreSQL store.
    private func checkPast() throws(StoreError) {
        guard let onLoss else { return }
        let there = seen.flatMap { seen in
            seen.position <= medium.marks.count ? medium.marks[seen.position - 1].number : nil
        }
        let past = SeenPast(seen: seen, numberThere: there, newest: medium.marks.last)
        if !hasLost, past != .kept || medium.epoch != epoch {
            hasLost = true
            medium.beginEpoch()
            onLoss()
        }
        if hasLost { throw .unavailable(reason: "the store went back") }
        see()
    }

    /// The server sees what the store has now.
    func see() { (seen, restoresSeen) = (medium.marks.last, medium.restores) }

    /// Whether the store went back, and the server may still show what it has in memory: no call has succeeded since.
    var mayBeBehind: Bool { restoresSeen < medium.restores }
}

/// The reads of both stores in memory.
protocol SimulatedStore: ReplyingStore {}

extension SimulatedStore {
    private var memory: MemoryListStore { connection.medium.memory }
    var epoch: String { connection.epoch }
    var latestTime: Int64? { connection.medium.latestTime }

    /// Waits, and fails at times. The read takes place at the end of the wait.
    func destination() throws(StoreError) -> any ListStore {
        connection.wait()
        try connection.reach()
        if connection.has(.failure, oneIn: 200) {
            throw .unavailable(reason: "a read failed")
        }
        return memory
    }

    /// Other threads run between the read and the use of its result.
    func load(_ list: String) throws(StoreError) -> LoadedList? {
        let stored = try destination().load(list)
        connection.wait()
        return stored
    }

    /// Does not let other threads run, because it may be called under a list's lock.
    func lists(containing tasks: [String]) throws(StoreError) -> [String: String] {
        try connection.reach()
        return try memory.lists(containing: tasks)
    }
}

// Calls under a lock: they let no other threads run, but fail at times.

extension SimulatedStore {
    private func reachWithoutWaiting() throws(StoreError) -> MemoryListStore {
        try connection.reach()
        if connection.has(.failure, oneIn: 50) { throw .unavailable(reason: "a call failed") }
        return memory
    }

    func tokens(_ query: TokenQuery) throws(StoreError) -> [StoredToken] {
        try reachWithoutWaiting().tokens(query)
    }

    func addToken(_ token: StoredToken) throws(StoreError) -> Bool {
        try reachWithoutWaiting().addToken(token)
    }

    func removeTokens(_ ids: [String]) throws(StoreError) {
        try reachWithoutWaiting().removeTokens(ids)
    }

    func documents(_ keys: [StoredResponseKey]) throws(StoreError) -> [StoredResponseKey:
        StoredResponse]
    {
        try reachWithoutWaiting().responses(to: keys)
    }

    func write(document responses: [StoredResponse]) throws(StoreError) {
        _ = try reachWithoutWaiting()
        try connection.medium.append([], responses: responses)
    }
}

extension [StoredResponseKey] {
    /// Whether they are those of documents of the servers.
    var areDocuments: Bool { count == 1 && first?.scope == .list && first?.owner == "." }
}

/// A file store: the store of one server.
final class SimulatedFileStore: SimulatedStore {
    let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        beforeVisible()
        if commits.isEmpty, responses.map(\.key).areDocuments {
            return try write(document: responses)
        }
        connection.wait()
        try connection.reach()
        let fails = connection.failsCommit()
        if fails, connection.scheduler.random.chance(10) {
            let milliseconds = UInt64(connection.scheduler.random.below(4_000))
            connection.isFullUntil = connection.scheduler.now + milliseconds * Scheduler.millisecond
        }
        if fails || connection.scheduler.now < connection.isFullUntil {
            throw .unavailable(reason: "the disk is full")
        }
        let isLost = connection.has(.lostSync, oneIn: 400)
        if isLost, connection.scheduler.random.chance(50) { throw .lost(reason: "a sync failed") }
        do {
            try connection.medium.append(commits, responses: responses)
        } catch {
            connection.medium.onConflict(error)
            throw error
        }
        if isLost { throw .lost(reason: "a sync failed") }
        // The commit is durable, and the server does not know it yet.
        connection.wait()
        if connection.isDead { throw .unavailable(reason: "the server has ended") }
    }

    func responses(to keys: [StoredResponseKey]) throws(StoreError) -> [StoredResponseKey:
        StoredResponse]
    {
        try connection.reach()
        return try connection.medium.memory.responses(to: keys)
    }
}
