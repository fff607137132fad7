import Foundation
import Logging
import MicroHTTP
import ReorderAPI
import ReorderAuth
import ReorderEngine
import ReorderJSON
import ReorderService
import SQLiteStore
import Testing

@testable import ReorderClient

/// A server in the test's process, with the file store.
final class ServerUnderTest {
    let service: ListService
    /// How clients reach the server.
    let transport: any Transport
    private let inProcess: InProcessTransport
    private let sockets: HTTPServer?
    private let folder: URL

    fileprivate init(
        _ list: ReorderableList, _ access: AccessControl?, overSockets: Bool
    ) async throws {
        folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        service = ListService(
            store: try SQLiteListStore(path: folder.appending(path: "lists.db").path),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { Issue.record("\($0)") })
        let api = ReorderAPI(service: service, access: access)
        try api.followTokens()
        let router = api.makeRouter()
        inProcess = InProcessTransport(router)
        if overSockets {
            var configuration = HTTPServerConfiguration()
            configuration.requestTimeoutSeconds = 0
            let sockets = HTTPServer(configuration, router: router)
            let url = try #require(URL(string: "http://127.0.0.1:\(try sockets.start())"))
            transport = SlowTransport(base: URLSessionTransport(server: url, headers: [:]))
            self.sockets = sockets
        } else {
            transport = inProcess
            sockets = nil
        }
        try await write(.create(list))
    }

    /// A folder for the clients' files; it is removed with the server.
    var storage: URL { folder.appending(path: "client") }

    /// A client of the server.
    ///
    /// - Parameters:
    ///   - device: the name of its folder. Clients of the same device share their files.
    ///   - transport: the client's network; nil: it reaches the server.
    func client(
        _ device: String = "phone", over transport: (any Transport)? = nil, folds: String? = nil
    ) -> ReorderClient {
        ReorderClient(
            storage: storage.appending(path: device), transport: transport ?? self.transport,
            folds: folds, clock: { ReorderClient.uptime() / slowness })
    }

    func write(_ action: WriteRequest.Action) async throws {
        _ = try service.write(WriteRequest(list: "l", action: action))
    }

    func write(_ command: Command) async throws { try await write(.command(command)) }

    func snapshot() async throws -> VersionedList { try service.versionedList(of: "l") }

    /// The operations of all changes, in order.
    func history() async throws -> [ListOperation] {
        let changes = ClientRequest(
            method: "GET", target: "/lists/l/changes?since=1-\(service.epoch)&limit=1000")
        let answer = await client(over: inProcess).answer(to: changes)
        return try ChangesResponse(json: answer.body).changes.flatMap(\.operations)
    }

    fileprivate func stop() throws {
        inProcess.stop()
        sockets?.stop()
        try service.stop()
        try FileManager.default.removeItem(at: folder)
    }
}

/// The clients' clocks go slower than the time, so that only a hang reaches their time limits.
private let slowness = 10.0

/// A transport that waits as long as clients with a slow clock.
private struct SlowTransport: Transport {
    let base: URLSessionTransport

    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        var request = request
        request.timeoutSeconds *= slowness
        return base.start(request, handler)
    }
}

/// Runs `body` with a server that has the list `l`.
///
/// - Parameters:
///   - tasks: the ids of its tasks.
///   - access: the access rules; nil allows everything.
///   - overSockets: whether clients use Foundation's URL session and sockets, as in an app.
func withServer(
    tasks: [TaskID] = ["a", "b", "c"], access: AccessControl? = nil, overSockets: Bool = false,
    isolation: isolated (any Actor)? = #isolation, _ body: (ServerUnderTest) async throws -> Void
) async throws {
    let list = try ReorderableList(
        settings: ListSettings(title: "L"), sections: [],
        tasks: tasks.map { .init(content: TaskContent(id: $0, title: $0)) })
    let server = try await ServerUnderTest(list, access, overSockets: overSockets)
    do {
        try await body(server)
    } catch {
        try? server.stop()
        throw error
    }
    try server.stop()
}

extension SyncedList {
    /// Waits until the server's list has all operations.
    func settle() async {
        for await _ in statuses where isSettled { return }
    }

    private var isSettled: Bool { runner.read { $0.local?.pending.isEmpty == true } }

    /// Like `settle`, over a network that fails: repeats failed requests at once.
    func settleRetrying() async throws {
        while !isSettled {
            runner.retryNow()
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
