import Foundation
import ReorderEngine
import ReorderJSON
import Synchronization

/// A reorderd server, as an app uses it.
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
    private let transport: any Transport
    private let lists = Mutex<[String: Weak]>([:])

    /// A client of a server. Nothing is sent before a list is asked for.
    ///
    /// - Parameters:
    ///   - server: where the server is, with the path that comes before `/lists`, if any.
    ///   - storage: a folder of the app, made where there is none, with a file for each list: the list
    ///     and what waits to be sent. One folder a server and account.
    ///   - headers: header fields that each request is to have.
    ///   - token: asked before each request for the token that it shows (`Authorization: Bearer …`),
    ///     so that one that is over can be replaced; `nil`: none. Where the server takes none or
    ///     another one only, lists are `unauthorized`, and what was done waits; after another token is
    ///     there, `SyncedList.retryNow()` spares the wait until the next attempt.
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

    /// A list, to be shown and changed. While one is open, asking again gives the same.
    ///
    /// A list that was open on this device before is there at once, without the network, as it was,
    /// with what still waits to be sent; else it is fetched.
    ///
    /// - Throws: `invalid` for an id that none can have; `storage` where the file can't be used;
    ///   `unreachable`, `listNotFound` or `unauthorized` where it has to be fetched and can't be.
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

    private func open(_ id: String) throws(ClientError) -> SyncedList {
        guard Identifier.isValid(id) else { throw .invalid(Identifier.rule) }
        do {
            return try lists.withLock { lists in
                if let list = lists[id]?.list, !list.runner.read(\.isStopped) { return list }
                try FileManager.default.createDirectory(
                    at: storage, withIntermediateDirectories: true)
                let file = try JournalFile(storage.appending(path: "\(id).reorder"))
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
