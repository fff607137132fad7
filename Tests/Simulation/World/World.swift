import RandomRuns
import ReorderService
import ReorderStore
import ReorderWebhooks

/// A simulation: servers, their store, clients, faults and the checks.
final class World {
    let scenario: Scenario
    let scheduler: Scheduler
    let checker = Checker()
    let medium: StoreMedium
    /// nil if the store is in memory.
    let disk: DiskMedium?
    let hub: NotificationHub?
    let limits: ServiceLimits
    private(set) var servers: [SimulatedServer] = []
    private var writers: [Writer] = []
    private var readers: [Reader] = []
    private var watchers: [StreamWatcher] = []
    private var syncers: [SyncClient] = []
    private var feeds: [FeedReader] = []
    private var searchers: [Searcher] = []
    private var guests: [Guest] = []
    private var receivers: [Receiver] = []
    /// Whether no more faults are made.
    private(set) var isCalm = false
    /// Whether clients begin nothing new. A worker that always has work does not return from its step
    /// before.
    var isEnding: Bool { isCalm || scheduler.stepCount - quietSteps >= scenario.steps }
    /// Whether all clients are away for some time.
    private(set) var isAway = false
    /// Whether no server may start.
    var isClosed = false
    /// The number of steps while all clients were away.
    private(set) var quietSteps = 0
    private(set) lazy var storeOperator = StoreOperator(self)
    private lazy var delayChecks = DelayChecks(self)

    /// The time of day at the beginning, in seconds since 1970.
    let startSeconds = 1_750_000_000.0

    init(_ scenario: Scenario, story: Story? = nil) {
        self.scenario = scenario
        scheduler = Scheduler(seed: scenario.seed)
        scheduler.story = story
        medium = StoreMedium(isRecording: !scenario.faults.isDisjoint(with: [.restore, .rewind]))
        hub = scenario.servers > 1 ? NotificationHub(scheduler, scenario.faults) : nil
        disk =
            scenario.servers == 1 && scenario.faults.contains(.disk)
                && !scenario.faults.contains(.immediate)
            ? DiskMedium(seed: scenario.seed) : nil
        var limits = ServiceLimits()
        if scenario.faults.contains(.eviction) {
            // No list stays in memory, or about two.
            limits.cacheBytes = scenario.seed % 2 == 0 ? 1 << 10 : 8 << 10
        }
        if scenario.faults.contains(.pruning) {
            limits.history = HistoryRetention(days: nil, changes: 12)
        }
        if scenario.faults.contains(.largeCommits) {
            // With 8, most lists are deleted by a small commit, also while a large one is staged.
            limits.largeCommit = LargeCommit(tasks: scenario.seed % 2 == 0 ? 2 : 8, bytes: 400)
        }
        if scenario.faults.contains(.smallPieces) { limits.pieces = .small }
        if scenario.faults.contains(.copies) { limits.tasksOnLoop = 3 }
        if scenario.faults.contains(.limits) {
            (limits.undos.ofList, limits.undos.ofServer) = (2, 3)
            (limits.drags.perList, limits.drags.perServer) = (2, 3)
        }
        if scenario.faults.contains(.absence), !scenario.faults.contains(.pruning) {
            limits.history = HistoryRetention(days: 2, changes: 4)
        }
        self.limits = limits
        checker.pieces = limits.pieces
        checker.now = { [scheduler] in scheduler.now }
        medium.onCommit = { [weak self] commits in
            guard let self else { return }
            for commit in commits {
                scheduler.tell("durable: \(commit.list) v\(commit.version)")
                scheduler.note(commit.change)
            }
            checker.committed(commits)
            medium.commitCount += commits.count
        }
        // The last change before a pause is often one that a read of the feed does not have.
        medium.onLateReply = { [weak self] in self?.pauseAtTimes(percent: 60) }
        medium.onConflict = { [weak self] error in
            // A large append and a small one can insert the same id at the same time.
            if case .taskTaken = error, scenario.faults.contains(.largeCommits) { return }
            self?.checker.fail("the only server's commits fit the store", "\(error)")
        }
        scheduler.onStep = { [weak self] in self?.check() }
        scheduler.onPause = { [weak self] in self?.storeOperator.takeRewinds() }
        servers = (0..<scenario.servers).map { SimulatedServer("server\($0)", self) }
    }

    /// Decides at random whether a fault happens now.
    func has(_ fault: Scenario.Fault, percent: Int) -> Bool {
        guard scenario.faults.contains(fault), !isCalm, scheduler.random.chance(percent) else {
            return false
        }
        scheduler.count(fault.rawValue)
        return true
    }

    /// A server for a request.
    func server() -> SimulatedServer { servers[scheduler.random.below(servers.count)] }

    /// A list for a request. It usually exists.
    func list() -> String {
        let existing = (0..<scenario.lists).map(Writer.list).filter { checker.journal.has($0) }
        if !existing.isEmpty, scheduler.random.chance(95) {
            return existing[scheduler.random.below(existing.count)]
        }
        return Writer.list(scheduler.random.below(scenario.lists))
    }

    /// Writers send nothing until this time. Meanwhile readers see what the changes before it have
    /// left.
    private(set) var restUntil: UInt64 = 0

    /// At times, ends a busy phase of the writers.
    func restAtTimes() {
        guard scheduler.random.chance(2) else { return }
        pauseAtTimes(percent: 20)
        restUntil = scheduler.now + UInt64(scheduler.random.below(800)) * Scheduler.millisecond
    }

    /// At times, nothing but waiting for changes happens for longer than a change may need to reach clients. Otherwise the next
    /// change would hide that a server has missed one.
    func pauseAtTimes(percent: Int) {
        guard !isEnding, !isAway, !scheduler.isPaused, scheduler.random.chance(percent) else {
            return
        }
        scheduler.tell("a pause")
        scheduler.count("pause")
        scheduler.pausedUntil = scheduler.now + 7 * Scheduler.second
    }

    /// A client is sending a change of a list. Some readers then read the list, which often happens
    /// before the change is durable.
    func changes(_ list: String, on server: SimulatedServer) {
        for reader in readers { reader.follow(list, on: server) }
    }

    private func check() {
        if checker.violation != nil { scheduler.isOver = true }
    }

    // MARK: A run

    func run() {
        for server in servers { server.start() }
        addClients()
        scheduler.add(FaultInjector(self))
        scheduler.add(delayChecks)
        var nextCheck = 0
        while !scheduler.isOver, scheduler.stepCount - quietSteps < scenario.steps {
            scheduler.step(before: scheduler.now + Scheduler.second)
            takeOrder()
            storeOperator.takeRewinds()
            guard scheduler.stepCount >= nextCheck else { continue }
            nextCheck = scheduler.stepCount + 256
            checkAges()
            for server in servers { IndexChecks(self).run(server) }
        }
        calm()
        stopAll()
    }

    private func addClients() {
        for index in 0..<scenario.writers { writers.append(Writer("w\(index)", self)) }
        for index in 0..<scenario.readers { readers.append(Reader("r\(index)", self)) }
        for index in 0..<scenario.pollers {
            readers.append(Reader("p\(index)", self, .poller))
        }
        for index in 0..<scenario.repeaters {
            readers.append(Reader("a\(index)", self, .repeating))
        }
        for index in 0..<scenario.syncers { syncers.append(SyncClient("d\(index)", self)) }
        for index in 0..<scenario.feeds { feeds.append(FeedReader("c\(index)", self)) }
        for index in 0..<scenario.searchers { searchers.append(Searcher("q\(index)", self)) }
        for index in 0..<scenario.guests { guests.append(Guest("g\(index)", self)) }
        for index in 0..<scenario.hooks { receivers.append(Receiver("h\(index)", self)) }
        for index in 0..<scenario.streams { watchers.append(StreamWatcher("e\(index)", self)) }
    }

    /// While its server runs, each request must end within this time.
    static let bound = 150 * Scheduler.second

    private func checkAges() {
        for server in servers {
            guard let oldest = server.process?.oldestRequest else { continue }
            if scheduler.now > oldest.began + Self.bound {
                let intention = oldest.attempt.intention
                checker.fail(
                    "every request ends",
                    "\(oldest.attempt.tag) \(intention.method.rawValue) \(intention.target) waits "
                        + "at \(server.name)")
            }
        }
        check()
    }

    private var orderedWork: (() -> Void)?

    /// Does some work when no part is inside a step.
    func order(_ work: @escaping () -> Void) { orderedWork = work }

    private func takeOrder() {
        guard let work = orderedWork else { return }
        orderedWork = nil
        work()
    }

    /// The receiver of a webhook's event; nil if it has another webhook now.
    func receiver(of message: WebhookMessage) -> Receiver? {
        receivers.first { $0.isReceiver(of: message.url) }
    }

    /// The clients that servers must show changes soon.
    var waitingClients: [any WaitingClient] { watchers + feeds + readers + receivers }

    /// Whether no client waits for a response, and no server handles a request.
    var hasNoRequest: Bool {
        writers.allSatisfy(\.isSilent) && readers.allSatisfy(\.isIdle)
            && searchers.allSatisfy(\.isIdle) && guests.allSatisfy(\.isIdle)
            && receivers.allSatisfy(\.isIdle)
            && servers.allSatisfy { $0.process?.oldestRequest == nil }
    }

    /// The requests that have not ended, for people.
    var openRequests: [String] {
        let clients =
            writers.filter { !$0.isSilent }.map(\.name) + readers.filter { !$0.isIdle }.map(\.name)
        let requests = servers.compactMap { server in
            server.process?.oldestRequest.map { "\($0.attempt.tag) at \(server.name)" }
        }
        return clients + requests
    }

    /// All clients go away, or come back. While they are away, the store has no faults, but a full disk stays full.
    func setAway(_ isAway: Bool) {
        self.isAway = isAway
        hub?.isCalm = isAway
        if isAway { disk?.disk.cancelFaults() }
        for server in servers { server.process?.connection.isCalm = isAway }
        for client in syncers { client.setAway(isAway) }
        for client in watchers { client.setAway(isAway) }
        for client in feeds { client.setAway(isAway) }
        for client in guests { client.setAway(isAway) }
        for client in receivers { client.setAway(isAway) }
        guard !isAway else { return }
        delayChecks.due = scheduler.now
        for client in writers { client.comeBack() }
        for client in readers { client.comeBack() }
        for client in searchers { client.comeBack() }
    }

    func countQuiet(steps: Int) { quietSteps += steps }

    /// Ends the faults, waits until all requests have ended, and checks that nothing is left over.
    private func calm() {
        guard !scheduler.isOver else { return }
        scheduler.tell("no more faults")
        isCalm = true
        hub?.isCalm = true
        disk?.endFaults()
        for server in servers {
            server.clockError = 0
            if disk?.disk.hasStopped == true { server.crash() }
            server.start()
            server.process?.connection.isCalm = true
        }
        let limit = scheduler.now + Self.bound
        scheduler.run(until: limit) {
            writers.allSatisfy(\.isIdle) && readers.allSatisfy(\.isIdle)
                && searchers.allSatisfy(\.isIdle) && guests.allSatisfy(\.isIdle)
                && receivers.allSatisfy(\.isIdle)
                && servers.allSatisfy { $0.process?.oldestRequest == nil }
        }
        for client in writers.map(\.name) + readers.map(\.name) {
            let isIdle =
                writers.first { $0.name == client }?.isIdle
                ?? readers.first { $0.name == client }?.isIdle ?? true
            if !isIdle { checker.fail("every request ends", "\(client) waits for a response") }
        }
        for server in servers {
            // The clients of these requests have given up.
            guard let oldest = server.process?.oldestRequest, scheduler.now >= limit else {
                continue
            }
            checker.fail(
                "every request ends", "\(oldest.attempt.tag) waits at \(server.name)")
        }
        check()
        scheduler.run(until: scheduler.now + Self.bound) {
            syncers.allSatisfy(\.isInSync) && feeds.allSatisfy(\.isInSync)
        }
        for client in feeds where !client.isInSync {
            checker.fail("the feed has each change once", client.state)
        }
        // Another server takes over some time after one has crashed.
        scheduler.run(until: scheduler.now + 2 * Self.bound) {
            receivers.allSatisfy(\.isInSync)
        }
        for client in receivers where !client.isInSync {
            checker.fail("a webhook receives each change", client.state)
        }
        for client in syncers where !client.isInSync {
            checker.fail("all copies are equal at the end", client.state)
        }
        for client in syncers { client.checkEnd() }
        check()
        // Servers notice each other's last changes by polling.
        scheduler.run(until: scheduler.now + 10 * Scheduler.second) { false }
        for watcher in watchers { watcher.checkEnd() }
        check()
        FinalChecks(self).run()
        check()
        setAway(true)
        // Live drags expire.
        scheduler.run(until: scheduler.now + 40 * Scheduler.second) { false }
        for server in servers {
            if let process = server.process, !scheduler.isOver { BoundChecks(self).run(process) }
        }
        check()
    }

    private func stopAll() {
        guard !scheduler.isOver else { return }
        for server in servers { server.stop() }
        check()
    }
}
