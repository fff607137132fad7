import Foundation
import Logging
import MicroHTTP
import ReorderAPI
import ReorderAuth
import ReorderService
import ReorderStore
import ReorderWebhooks

/// A server with the real service and handlers. It starts, stops or crashes, and starts again.
final class SimulatedServer {
    let name: String
    private let world: World
    /// The running process; nil between a crash and the restart.
    private(set) var process: ServerProcess?
    /// By how many seconds the system's clock is wrong.
    var clockError = 0.0

    init(_ name: String, _ world: World) {
        self.name = name
        self.world = world
    }

    func start() {
        guard process == nil else { return }
        world.scheduler.tell("\(name) starts")
        do {
            process = try ServerProcess(self, world)
        } catch {
            world.checker.fail("a server starts", "\(name): \(error)")
        }
    }

    /// Ends the process at any step of its work.
    func crash() {
        guard let process else { return }
        world.scheduler.tell("\(name) crashes")
        self.process = nil
        process.kill()
    }

    /// Stops the process as SIGTERM does. Call it when no part is inside a step.
    ///
    /// - Parameter hangs: whether the store hangs before and during the stop.
    func stop(hangs: Bool = false) {
        guard let process else { return }
        world.scheduler.tell("\(name) stops")
        process.stop(hangs: hangs)
        if self.process === process { self.process = nil }
    }

    func ended(_ process: ServerProcess) {
        if self.process === process { self.process = nil }
    }
}

/// One run of a server.
///
/// `@unchecked Sendable`: one thread uses a whole simulation.
final class ServerProcess: @unchecked Sendable {
    let name: String
    private let world: World
    private unowned let server: SimulatedServer
    private(set) var connection: StoreConnection
    private(set) var service: ListService?
    private(set) var api: ReorderAPI?
    private(set) var router: Router?
    private var served: ServedAPI?
    private var store: (any ListStore)?
    private var workers: [SimulatedWorker] = []
    private var exchanges: [ServerExchange] = []
    private var streams: [ServerStream] = []
    private(set) var isDead = false
    let startedAt: UInt64
    /// When its service opened the store: at the start, or when it began again.
    private(set) var openedAt: UInt64 = 0
    private var control: AccessControl?
    /// Whether requests are still accepted.
    private(set) var isAccepting = true

    /// - Throws: if the store can't be opened.
    init(_ server: SimulatedServer, _ world: World) throws {
        self.server = server
        self.world = world
        name = server.name
        startedAt = world.scheduler.now
        connection = Self.connect(world)
        if world.scenario.guests > 0 {
            control = try Credentials.makeControl { [weak self] in
                Date(timeIntervalSince1970: self?.date ?? 0)
            }
        }
        let api = try openAPI(inPlaceOf: nil)
        let served = ServedAPI(api) { [weak self] former, _ in
            guard let self, !isDead, isAccepting else { return nil }
            return openAgain(inPlaceOf: former)
        }
        self.served = served
        router = served.makeRouter()
        served.startWebhooks()
    }

    private static func connect(_ world: World) -> StoreConnection {
        let connection = StoreConnection(
            world.medium, world.scheduler, world.scenario.faults,
            isImmediate: world.hub == nil && world.scenario.faults.contains(.immediate))
        connection.isCalm = world.isCalm || world.isAway
        return connection
    }

    /// Opens the store, and makes a service.
    private func openAPI(inPlaceOf former: ReorderAPI?) throws -> ReorderAPI {
        let store = try openStore()
        let service = ListService(
            store: store, limits: world.limits,
            logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() },
            onLost: { [weak self] _ in self?.lose() }, environment: environment())
        guard service.epoch == world.checker.journal.epoch else {
            throw StoreError.failed(reason: "the store's epoch is \(service.epoch)")
        }
        let webhooks =
            world.scenario.hooks > 0
            ? Webhooks(service, transport: WebhookLine(self, world)) : nil
        let api = ReorderAPI(
            service: service, webhooks: webhooks, access: control, inPlaceOf: former)
        try connection.withoutWaiting { try api.followTokens() }
        (self.service, self.api, self.store) = (service, api, store)
        openedAt = world.scheduler.now
        hasBrokenRequests = false
        return api
    }

    /// The store went back.
    private func openAgain(inPlaceOf former: ReorderAPI) -> ReorderAPI? {
        world.scheduler.tell("\(name) begins again")
        world.scheduler.count("began again")
        connection = Self.connect(world)
        let epochs = world.servers.compactMap { $0.process?.connection.epoch }
        if epochs.contains(where: { $0 != connection.epoch }) {
            world.checker.reach("a server that sees a rewind before another one")
        }
        do {
            return try openAPI(inPlaceOf: former)
        } catch {
            world.checker.fail("a server opens a store that went back", "\(name): \(error)")
            return nil
        }
    }

    private func openStore() throws -> any ListStore {
        if let hub = world.hub {
            return SimulatedSharedStore(connection, hub) { [weak world] in
                world?.storeOperator.order(rewind: $0)
            }
        }
        guard let disk = world.disk else { return SimulatedFileStore(connection) }
        return try SimulatedDiskStore(connection, disk, large: world.limits.largeCommit) {
            [weak self] in self?.loseDisk()
        }
    }

    /// Whether the service goes on with requests whose connections broke.
    private var hasBrokenRequests = false

    /// Breaks the connections of all requests. The server goes on with them.
    func breakRequests() {
        hasBrokenRequests = hasBrokenRequests || !exchanges.isEmpty
        for exchange in exchanges { exchange.breakConnection() }
    }

    /// The epoch of what it may show.
    var epoch: String {
        connection.mayBeBehind ? connection.epoch : world.checker.journal.epoch
    }

    /// The time of its clock, in seconds since 1970.
    var date: Double {
        world.startSeconds + server.clockError + Double(world.scheduler.now) / 1e9
    }

    private func environment() -> ServiceEnvironment {
        let scheduler = world.scheduler
        var environment = ServiceEnvironment.system
        let start = world.startSeconds
        environment.date = { [weak self] in
            let date = self?.date ?? start + Double(scheduler.now) / 1e9
            return Date(timeIntervalSince1970: date)
        }
        // Never zero, like a machine's uptime.
        environment.uptime = { Scheduler.second + scheduler.now }
        environment.random = { scheduler.random.next() }
        environment.makeWorker = {
            [weak self, name, faults = world.scenario.faults] worker, count in
            let isLate = faults.contains(.lateWorkers) && worker.hasSuffix("worker")
            let made = SimulatedWorker(
                "\(name) \(worker)", threadCount: count, delay: isLate ? 30 : 0, scheduler)
            self?.workers.append(made)
            return made
        }
        environment.beforeWork = { [weak self] in self?.delayWork() }
        return environment
    }

    /// Lets other threads run while a worker's thread is not scheduled.
    private func delayWork() {
        guard !isDead, world.has(.lateWorkers, percent: 50) else { return }
        let milliseconds = world.scheduler.random.chance(10) ? 2_000 : 200
        let duration = UInt64(world.scheduler.random.below(milliseconds)) * Scheduler.millisecond
        world.scheduler.block(for: duration)
    }

    /// Whether its store hangs.
    var hangs: Bool { world.scheduler.now < connection.hangsUntil }

    /// The stored responses to requests.
    func stored(responses keys: [StoredResponseKey]) -> [StoredResponseKey: StoredResponse]? {
        try? store?.responses(to: keys)
    }

    /// The lists that contain these tasks, by the store's index; nil if it can't be read.
    func holders(of tasks: [String]) -> [String: String]? {
        try? store?.lists(containing: tasks)
    }

    /// Checks that nothing is kept for requests when none is running.
    func checkRest() {
        guard exchanges.isEmpty, !hasBrokenRequests, !isDead, let service else { return }
        BoundChecks(world).check(service.load, name, at: .rest)
    }

    /// The faults of the store's file; empty if the store is not a file.
    func storeFaults() throws -> [String] {
        try (store as? SimulatedDiskStore)?.faults() ?? []
    }

    // MARK: Requests

    /// A request arrives.
    ///
    /// - Parameter reply: receives the response, or nil if the connection breaks.
    /// - Returns: the request; nil if the server accepts none.
    func accept(
        _ attempt: Attempt, _ reply: @escaping (Response?) -> Void
    ) -> ServerExchange? {
        guard isAccepting, !isDead, let router else { return nil }
        let exchange = ServerExchange(attempt, self, router, world, reply)
        exchanges.append(exchange)
        return exchange
    }

    func remove(_ exchange: ServerExchange) { exchanges.removeAll { $0 === exchange } }

    func add(_ stream: ServerStream) { streams.append(stream) }

    func remove(_ stream: ServerStream) { streams.removeAll { $0 === stream } }

    var oldestRequest: ServerExchange? { exchanges.min { $0.began < $1.began } }

    // MARK: The end

    /// A sync failed, so the process ends at once.
    private func lose() {
        world.scheduler.tell("\(name) has lost a sync and ends")
        kill()
        server.ended(self)
    }

    /// The disk has stopped, so the process ends.
    private func loseDisk() {
        world.scheduler.tell("\(name) has lost its disk and ends")
        world.scheduler.count("lost disk")
        kill()
        server.ended(self)
    }

    /// Ends everything at once. Code that is inside a step at this moment has no effect any more.
    func kill() {
        guard !isDead else { return }
        isDead = true
        world.disk?.stop(world.scheduler)
        connection.isDead = true
        world.hub?.remove(connection)
        for worker in workers { worker.kill() }
        for exchange in exchanges { exchange.breakConnection() }
        for stream in streams { stream.breakConnection() }
        release()
    }

    /// Completes the requests that have arrived, then stops the service. If the store hangs, the
    /// requests that arrive meanwhile are abandoned.
    func stop(hangs: Bool) {
        var start = world.scheduler.now
        if hangs {
            connection.hangsUntil = start + 10 * Scheduler.second
            start += UInt64(world.scheduler.random.below(3_000)) * Scheduler.millisecond
        }
        let signal = Delivery("signal", at: start, world.scheduler) { [self] in prepareToStop() }
        world.scheduler.add(signal)
        world.scheduler.run(until: start + 5 * Scheduler.second) {
            isDead || !isAccepting && exchanges.isEmpty
        }
        guard !isDead else { return }
        let pending = service?.load.pending ?? [:]
        if pending["held lists"] ?? 0 > 0 || pending["parked writes"] ?? 0 > 0 {
            world.checker.reach("a write that waits for a list when the server stops")
        }
        // A request that is abandoned here can keep its key until the process ends.
        let isComplete = exchanges.isEmpty
        let delays: Set<Scenario.Fault> = [.slow, .failure, .unknown, .lateWorkers, .disk]
        if !isComplete, !hangs, world.scenario.faults.isDisjoint(with: delays) {
            world.checker.fail(
                "a server that stops first answers what has arrived",
                "\(name): \(exchanges.map(\.attempt.tag))")
        }
        for exchange in exchanges { exchange.breakConnection() }
        // Also ends streams that began meanwhile.
        for stream in streams { stream.breakConnection() }
        try? served?.stop()
        if isComplete, !isDead, let load = service?.load {
            BoundChecks(world).check(load, name, at: .rest)
        }
        // The server can have stopped before its signal.
        let duration = max(world.scheduler.now, start) - start
        // Calls of a shared store may end 4 seconds late, and steps may be frozen. Steps nest, so the
        // slow calls of other servers add to those of this one.
        if duration > 120 * Scheduler.second {
            world.checker.fail("a server stops in time", "\(name): \(duration) ns")
        }
        isDead = true
        connection.isDead = true
        world.hub?.remove(connection)
        for worker in workers { worker.kill() }
        release()
    }

    private func prepareToStop() {
        guard !isDead else { return }
        isAccepting = false
        service?.prepareToStop(inSeconds: 4)
        // Streams and long polls end at once, as in an event loop that stops.
        for stream in streams { stream.breakConnection() }
        for exchange in exchanges { exchange.endWaiting() }
    }

    private func release() {
        (exchanges, streams, workers) = ([], [], [])
        (service, router, api, store, served) = (nil, nil, nil, nil, nil)
    }
}
