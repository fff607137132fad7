import Foundation
import ReorderEngine
import ReorderJSON
import Synchronization

/// A client of a reorderd server, for use in apps.
///
/// ```swift
/// let client = ReorderClient(server: serverURL, storage: folderURL)
/// let list = try await client.list("groceries")
/// try list.move("apples", after: "pears")
/// for await delta in list.deltas { … }
/// ```
public final class ReorderClient: Sendable {
    private struct Weak: Sendable {
        weak var list: SyncedList?
    }

    let storage: URL
    let transport: any Transport
    private let lists = Mutex<[String: Weak]>([:])

    /// Creates a client of a server. Nothing is sent before a list is opened.
    ///
    /// - Parameters:
    ///   - server: the server's URL, including any path before `/lists`.
    ///   - storage: a folder of the app, created if it does not exist. It has one file for each
    ///     list, with the list and the operations waiting to be sent. Use one folder for each
    ///     server and account.
    ///   - headers: header fields to add to each request.
    ///   - token: returns the token for a request (`Authorization: Bearer …`). It is called before
    ///     each request, so an expired token can be replaced; nil means no token. If the server
    ///     rejects the token, lists are `unauthorized` and operations wait; call
    ///     `SyncedList.retryNow()` after obtaining another token to avoid waiting for the next
    ///     attempt.
    public convenience init(
        server: URL, storage: URL, headers: [String: String] = [:],
        token: (@Sendable () async -> String?)? = nil
    ) {
        let transport = URLSessionTransport(server: server, headers: headers)
        self.init(
            storage: storage,
            transport: token.map { TokenTransport(transport: transport, token: $0) } ?? transport)
    }

    init(storage: URL, transport: any Transport) {
        self.storage = storage
        self.transport = transport
    }

    /// Opens a list to display and change. While a list is open, further calls return the same
    /// object.
    ///
    /// A list that was opened on this device before is available immediately, even without a
    /// network, with its pending operations. Any other list is fetched first.
    ///
    /// - Throws: `invalid` if the id is malformed; `storage` if the file can't be used;
    ///   `unreachable`, `listNotFound` or `unauthorized` if fetching it fails.
    public func list(_ id: String) async throws(ClientError) -> SyncedList {
        let list = try open(id)
        for await status in list.statuses {
            if status.version > 0 { return list }
            guard status.connection != .connecting else { continue }
            list.close()
            switch status.connection {
            case .gone: throw .listNotFound
            case .unauthorized: throw .unauthorized
            default: throw .unreachable
            }
        }
        throw .closed
    }

    /// The list, if it is open.
    func openList(_ id: String) -> SyncedList? { lists.withLock { $0[id]?.list } }

    private func open(_ id: String) throws(ClientError) -> SyncedList {
        guard Identifier.isValid(id) else { throw .invalid(Identifier.rule) }
        do {
            return try lists.withLock { lists in
                if let list = lists[id]?.list, !list.runner.read(\.isStopped) { return list }
                try FileManager.default.createDirectory(
                    at: storage, withIntermediateDirectories: true)
                let file = try OutboxFile(storage.appending(path: "\(id).reorder"))
                let machine = try SyncMachine(
                    list: id, storage: file, newClient: UUID().uuidString.lowercased(),
                    random: SystemRandomNumberGenerator())
                let runner = ListRunner(machine: machine, transport: transport, storage: file)
                let list = SyncedList(id: id, runner: runner)
                lists[id] = Weak(list: list)
                runner.start()
                return list
            }
        } catch {
            throw .storage("\(error)")
        }
    }
}
