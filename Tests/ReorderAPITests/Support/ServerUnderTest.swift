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
import StoreTesting
import Testing
import Waiting

/// How a scenario reaches the server, and which store the server has.
struct Setup: Sendable, CustomTestStringConvertible {
    enum Transport: String, CaseIterable { case inProcess, socket }
    /// `twoServers` share a database, and requests alternate between them.
    enum Store: String, CaseIterable { case memory, file, twoServers }

    var transport: Transport
    var store: Store

    var testDescription: String { "\(transport.rawValue), \(store.rawValue)" }

    static let inProcess = Setup(transport: .inProcess, store: .memory)

    /// Those of this run: two servers on PostgreSQL, or one server on another store. Each transport and each store is in one of them:
    /// a transport does not depend on the store.
    static let all =
        PostgresCluster.isTested
        ? [Setup(transport: .inProcess, store: .twoServers)]
        : [Setup.inProcess, Setup(transport: .socket, store: .file)]
    static let oneServer = all.filter { $0.store != .twoServers }
    /// For tests of what is independent of the store.
    static let memory =
        PostgresCluster.isTested
        ? [] : Transport.allCases.map { Setup(transport: $0, store: .memory) }
    /// For tests of the forms of requests and responses: what they lead to is tested without HTTP.
    static let once = PostgresCluster.isTested ? [] : [Setup.inProcess]
    static let sockets = memory.filter { $0.transport == .socket }
}

/// A complete server without its process.
final class ServerUnderTest {
    private(set) var client: any APIClient
    let folder: URL
    private let setup: Setup
    private let options: Options
    /// The memory store of a setup that has one. It can fail on request.
    let memory = FailingStore()
    private var running: Running
    var routes: [Route] { running.routes }
    /// Creates a client with its own connection.
    private(set) var anotherClient: () throws -> any APIClient

    fileprivate struct Options {
        var limits: ServiceLimits
        var maximumBodyBytes: Int
        var clock: TestClock
        var makeAPI: (ListService) -> ReorderAPI
        var makeRouter: (ReorderAPI) -> Router
    }

    fileprivate init(_ setup: Setup, _ options: Options) throws {
        self.setup = setup
        self.options = options
        folder = FileManager.default.temporaryDirectory
            .appending(path: "reorderd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        (running, anotherClient) = try Self.start(setup, options, memory, folder)
        client = try anotherClient()
    }

    private static func start(
        _ setup: Setup, _ options: Options, _ memory: FailingStore, _ folder: URL
    ) throws -> (Running, () throws -> any APIClient) {
        let stores = try setup.store.open(in: folder, memory)
        let services = stores.map {
            ListService.quiet(
                $0, limits: options.limits, environment: options.clock.environment)
        }
        let apis = services.map(options.makeAPI)
        let routers = apis.map(options.makeRouter)
        switch setup.transport {
        case .inProcess:
            let clients = routers.map { InProcessClient(router: $0) }
            let client: any APIClient =
                clients.count == 1 ? clients[0] : AlternatingClient(clients)
            return (
                Running(
                    stores: stores, services: services, apis: apis, routes: routers[0].routes),
                { CheckedClient(client) }
            )
        case .socket:
            var configuration = HTTPServerConfiguration()
            configuration.maximumBodyBytes = options.maximumBodyBytes
            configuration.stopTime()
            let server = HTTPServer(configuration, router: routers[0])
            let port = try server.start()
            return (
                Running(
                    stores: stores, services: services, apis: apis, routes: routers[0].routes,
                    server: server),
                { CheckedClient(SocketClient(port: port)) }
            )
        }
    }

    /// A client with its own connection, for another thread.
    func freshClient() -> any APIClient { client.fresh() }

    /// Restarts the server on the same store.
    func reopen() throws {
        try running.stop()
        (running, anotherClient) = try Self.start(setup, options, memory, folder)
        client = try anotherClient()
    }

    /// Writes to the server's store beside the server.
    func append(_ commits: [ListCommit]) throws { try running.stores[0].append(commits) }

    /// Prunes all changes that can be pruned.
    func pruneHistory() throws {
        while try running.stores[0].pruneChanges(olderThan: .max, keepingLast: 1, limit: .max) {}
    }

    fileprivate func stop() throws {
        try running.stop()
        try setup.store.remove(folder)
    }

    /// The readers of streams are gone with the test.
    fileprivate func waitUntilNoStreamIsOpen() throws {
        try waitUntil { running.apis.allSatisfy { $0.openStreamCount == 0 } }
    }
}

extension Setup.Store {
    /// Opens the store of each server.
    ///
    /// - Parameter memory: the store of `.memory`.
    func open(in folder: URL, _ memory: @autoclosure () -> any ListStore) throws -> [any ListStore]
    {
        switch self {
        case .memory: return [memory()]
        case .file:
            let path = folder.appending(path: "lists.db").path
            return [try SQLiteListStore(path: path, newEpoch: testEpoch)]
        case .twoServers:
            let url = try PostgresCluster.shared().url(ofDatabase: folder.lastPathComponent)
            _ = try PostgresListStore.migrate(url: url)
            return try (0..<2).map { _ in
                try PostgresListStore(url: url, options: .patient, newEpoch: testEpoch)
            }
        }
    }

    /// Removes the database of a closed store.
    func remove(_ folder: URL) throws {
        guard self == .twoServers else { return }
        try PostgresCluster.shared().remove(database: folder.lastPathComponent)
    }
}

extension PostgresListStore.Options {
    /// With time limits that a busy machine does not reach.
    static var patient: Self { .init(timeoutSeconds: hangSeconds, stallSeconds: nil) }
}

extension ListService {
    /// A service that logs nothing.
    static func quiet(
        _ store: any ListStore, limits: ServiceLimits = ServiceLimits(),
        environment: ServiceEnvironment = .system
    ) -> ListService {
        ListService(
            store: store, limits: limits,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { Issue.record("the store lost a sync: \($0)") }, environment: environment)
    }
}

/// The parts that must be stopped.
private struct Running {
    var stores: [any ListStore]
    var services: [ListService]
    var apis: [ReorderAPI]
    var routes: [Route]
    var server: HTTPServer?

    /// Stops all parts, and expects that all of their limits are free again.
    func stop() throws {
        server?.stop()
        try server?.waitUntilNothingIsReserved()
        for service in services { try service.stopIdle() }
    }
}

/// Runs `body` with a new, empty server, and removes the server and its files afterwards.
///
/// - Parameter clock: stopped by default, so that documents can be compared with their times.
func withServer(
    _ setup: Setup, tasksPerList: Int = 1_000_000, maximumBodyBytes: Int = 8 << 20,
    streamLimit: Int = 100, drags: DragLimits = DragLimits(), undos: UndoLimits = UndoLimits(),
    origins: CrossOrigin.Origins? = nil, access: AccessControl? = nil,
    tokenLimit: Int = 10_000, isLocal: Bool = false, clock: TestClock = .stopped,
    _ body: (ServerUnderTest) throws -> Void
) throws {
    var limits = ServiceLimits(tasksPerList: tasksPerList, drags: drags)
    limits.undos = undos
    let options = ServerUnderTest.Options(
        limits: limits, maximumBodyBytes: maximumBodyBytes, clock: clock
    ) {
        let api = ReorderAPI(
            service: $0, streamLimit: streamLimit, access: access, tokenLimit: tokenLimit)
        #expect(throws: Never.self) { try api.followTokens() }
        return api
    } makeRouter: {
        $0.makeRouter(origins: origins, isLocal: isLocal)
    }
    let server = try ServerUnderTest(setup, options)
    defer { try? FileManager.default.removeItem(at: server.folder) }
    do {
        try body(server)
    } catch {
        try? server.stop()
        throw error
    }
    try server.stop()
    try server.waitUntilNoStreamIsOpen()
}
