import Foundation
import Logging
import MicroHTTP
import ReorderAPI
import ReorderAuth
import ReorderEngine
import ReorderService
import SQLiteStore
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import ReorderClient

/// The server in the test's process: real sockets, and the file store.
final class RealServer {
    let service: ListService
    let url: URL
    private let server: HTTPServer
    private let folder: URL

    fileprivate init(_ list: ReorderableList, _ access: AccessControl?) async throws {
        folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        service = ListService(
            store: try SQLiteListStore(path: folder.appending(path: "lists.db").path),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { Issue.record("\($0)") })
        let api = ReorderAPI(service: service, access: access)
        server = HTTPServer(.init(), router: api.makeRouter())
        url = try #require(URL(string: "http://127.0.0.1:\(try server.start())"))
        try await write(.create(list))
    }

    /// A folder for a client's files; it is removed with the server.
    var storage: URL { folder.appending(path: "client") }

    func write(_ action: WriteRequest.Action) async throws {
        _ = try service.write(WriteRequest(list: "l", action: action))
    }

    func write(_ command: ListCommand) async throws { try await write(.command(command)) }

    func snapshot() async throws -> VersionedList { try service.versionedList(of: "l") }

    /// The operations of all changes, in order.
    func history() async throws -> [ListOperation] {
        let target = url.appending(path: "lists/l/changes").absoluteString + "?since=1&limit=1000"
        let (data, _) = try await URLSession.shared.data(from: try #require(URL(string: target)))
        return try ChangesResponse(json: Array(data)).changes.flatMap(\.operations)
    }

    fileprivate func stop() throws {
        server.stop()
        try service.stop()
        try FileManager.default.removeItem(at: folder)
    }
}

/// Runs `body` with a server that has the list `l` with the tasks a, b and c.
///
/// - Parameter access: the access rules; nil allows everything.
func withRealServer(
    access: AccessControl? = nil, _ body: (RealServer) async throws -> Void
) async throws {
    let list = try ReorderableList(
        settings: ListSettings(title: "L"), sections: [],
        tasks: ["a", "b", "c"].map { .init(content: TaskContent(id: $0, title: $0)) })
    let server = try await RealServer(list, access)
    do {
        try await body(server)
    } catch {
        try? server.stop()
        throw error
    }
    try server.stop()
}

extension SyncedList {
    /// Waits until the server has answered all operations.
    func settle() async {
        for await status in statuses where status.pending == 0 { return }
    }
}
