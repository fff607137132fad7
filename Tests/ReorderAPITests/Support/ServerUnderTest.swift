import Foundation
import Logging
import MicroHTTP
import PostgresStore
import PostgresTesting
import ReorderAPI
import ReorderAuth
import ReorderService
import ReorderStore
import SQLiteStore
import Synchronization
import Testing

/// How a scenario reaches the server, and which store the server has.
struct Setup: Sendable, CustomTestStringConvertible {
    enum Transport: String, CaseIterable { case inProcess, socket }
    /// `twoServers` share a database, and requests alternate between them.
    enum Store: String, CaseIterable { case memory, file, twoServers }

    var transport: Transport
    var store: Store

    var testDescription: String { "\(transport.rawValue), \(store.rawValue)" }

    /// Those of this run: two servers on PostgreSQL, or one server on another store.
    static let all =
        PostgresCluster.isTested
        ? [Setup(transport: .inProcess, store: .twoServers)]
        : Transport.allCases.flatMap { transport in
            [Store.memory, .file].map { Setup(transport: transport, store: $0) }
        }
    static let oneServer = all.filter { $0.store != .twoServers }
    static let sockets = all.filter { $0.transport == .socket }
}

/// A complete server without its process.
final class ServerUnderTest {
    private(set) var client: any APIClient
    let folder: URL
    private let setup: Setup
    private let origins: CrossOrigin.Origins?
    private let limits: ListService.Limits
    private let maximumBodyBytes: Int
    private let streamLimit: Int
    private let heartbeatSeconds: Double
    private let access: AccessControl?
    private let isLocal: Bool
    /// The memory store of a setup that has one. It can fail on request.
    let memory = FailingStore()
    private let clock: TestClock
    private var running: Running
    var routes: [Router.Route] { running.routes }
    /// Creates a client with its own connection.
    private(set) var anotherClient: () throws -> any APIClient

    fileprivate init(
        _ setup: Setup, tasksPerList: Int, maximumBodyBytes: Int, streamLimit: Int,
        drags: DragLimits, undos: UndoLimits, origins: CrossOrigin.Origins?,
        access: AccessControl?,
        isLocal: Bool, heartbeatSeconds: Double, clock: TestClock
    ) throws {
        self.setup = setup
        self.origins = origins
        self.streamLimit = streamLimit
        self.access = access
        self.isLocal = isLocal
        self.heartbeatSeconds = heartbeatSeconds
        self.clock = clock
        var limits = ListService.Limits(tasksPerList: tasksPerList, drags: drags)
        limits.undos = undos
        self.limits = limits
        self.maximumBodyBytes = maximumBodyBytes
        folder = FileManager.default.temporaryDirectory
            .appending(path: "reorderd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        (running, anotherClient) = try Self.start(
            setup, limits, maximumBodyBytes, streamLimit, origins, access, isLocal,
            heartbeatSeconds, memory, folder, clock)
        client = try anotherClient()
    }

    private static func start(
        _ setup: Setup, _ limits: ListService.Limits, _ maximumBodyBytes: Int,
        _ streamLimit: Int, _ origins: CrossOrigin.Origins?, _ access: AccessControl?,
        _ isLocal: Bool, _ heartbeatSeconds: Double, _ memory: FailingStore, _ folder: URL,
        _ clock: TestClock
    ) throws -> (Running, () throws -> any APIClient) {
        let stores: [any ListStore]
        switch setup.store {
        case .memory: stores = [memory]
        case .file:
            stores = [try SQLiteListStore(path: folder.appending(path: "lists.db").path)]
        case .twoServers:
            let url = try PostgresCluster.shared().url(ofDatabase: folder.lastPathComponent)
            _ = try PostgresListStore.migrate(url: url)
            stores = try (0..<2).map { _ in try PostgresListStore(url: url) }
        }
        var environment = ServiceEnvironment.system
        environment.date = clock.now
        let services = stores.map { store in
            ListService(
                store: store, limits: limits,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                onLost: { Issue.record("the store lost a sync: \($0)") }, environment: environment)
        }
        let routers = services.map {
            ReorderAPI(service: $0, streamLimit: streamLimit, access: access).makeRouter(
                origins: origins, isLocal: isLocal)
        }
        switch setup.transport {
        case .inProcess:
            let clients = routers.map { InProcessClient(router: $0) }
            let client: any APIClient =
                clients.count == 1 ? clients[0] : AlternatingClient(clients)
            return (
                Running(stores: stores, services: services, routes: routers[0].routes),
                { CheckedClient(client) }
            )
        case .socket:
            var configuration = HTTPServer.Configuration()
            configuration.maximumBodyBytes = maximumBodyBytes
            configuration.heartbeatSeconds = heartbeatSeconds
            configuration.removeTimeouts()
            let server = HTTPServer(configuration, router: routers[0])
            let port = try server.start()
            return (
                Running(
                    stores: stores, services: services, routes: routers[0].routes, server: server),
                { CheckedClient(SocketClient(port: port)) }
            )
        }
    }

    /// A client with its own connection, for another thread.
    func freshClient() -> any APIClient { client.fresh() }

    /// Restarts the server on the same store.
    func reopen() throws {
        try running.stop()
        (running, anotherClient) = try Self.start(
            setup, limits, maximumBodyBytes, streamLimit, origins, access, isLocal,
            heartbeatSeconds, memory, folder, clock)
        client = try anotherClient()
    }

    /// Prunes all changes that can be pruned.
    func pruneHistory() throws {
        while try running.stores[0].pruneChanges(olderThan: .max, keepingLast: 1, limit: .max) {}
    }

    fileprivate func stop() throws {
        try running.stop()
        if setup.store == .twoServers {
            try PostgresCluster.shared().remove(database: folder.lastPathComponent)
        }
    }
}

/// The parts that must be stopped.
private struct Running {
    var stores: [any ListStore]
    var services: [ListService]
    var routes: [Router.Route]
    var server: HTTPServer?

    func stop() throws {
        server?.stop()
        for service in services { try service.stop() }
    }
}

/// A clock with the machine's time, or a stopped one, plus an offset that the test sets.
final class TestClock: Sendable {
    private let start: Date?
    private let added = Mutex<Double>(0)

    init(stoppedAt start: Date? = nil) { self.start = start }

    /// It is ahead of PostgreSQL's clock, because a server's clock is not behind its database's.
    static var stopped: TestClock { TestClock(stoppedAt: Date(timeIntervalSinceNow: 60)) }

    var now: @Sendable () -> Date {
        { [self] in (start ?? Date()).addingTimeInterval(added.withLock(\.self)) }
    }

    func advance(seconds: Double) { added.withLock { $0 += seconds } }
}

/// Runs `body` with a new, empty server, and removes the server and its files afterwards.
///
/// - Parameter clock: stopped by default, so that documents can be compared with their times.
func withServer(
    _ setup: Setup, tasksPerList: Int = 1_000_000, maximumBodyBytes: Int = 8 << 20,
    streamLimit: Int = 100, drags: DragLimits = DragLimits(), undos: UndoLimits = UndoLimits(),
    origins: CrossOrigin.Origins? = nil, access: AccessControl? = nil,
    isLocal: Bool = false, heartbeatSeconds: Double = 15,
    clock: TestClock = .stopped, _ body: (ServerUnderTest) throws -> Void
) throws {
    let server = try ServerUnderTest(
        setup, tasksPerList: tasksPerList, maximumBodyBytes: maximumBodyBytes,
        streamLimit: streamLimit, drags: drags, undos: undos, origins: origins, access: access,
        isLocal: isLocal, heartbeatSeconds: heartbeatSeconds, clock: clock)
    defer { try? FileManager.default.removeItem(at: server.folder) }
    do {
        try body(server)
    } catch {
        try? server.stop()
        throw error
    }
    try server.stop()
}
