import Foundation
import Observation
import ReorderEngine

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An account's lists on a server: the one object that an app keeps.
///
/// ```swift
/// @main struct Groceries: App {
///     @State var store = ReorderStore(server: url, account: "anna")
///     var body: some Scene { WindowGroup { ListScreen(list: store.list("groceries")) } }
/// }
/// ```
///
/// Lists are on the device: they are displayed and changed at once, also without a network. The store sends what waits as soon as the
/// server can be reached, also for lists that no screen shows. There is nothing to close.
@MainActor @Observable
public final class ReorderStore {
    /// The client below the store, for background tasks, intents and command-line tools. It can be used from any thread.
    public nonisolated let client: ReorderClient
    /// The number of changes that wait to be sent, in all lists.
    public private(set) var waitingCount = 0
    /// Whether the store has signed out. Create another one to sign in.
    package private(set) var isSignedOut = false

    @ObservationIgnored private let indexID: String
    @ObservationIgnored private var open: [String: WeakList] = [:]
    @ObservationIgnored private var heldIndex: LiveList?

    private struct WeakList {
        weak var list: LiveList?
    }

    /// Creates the store of an account. Nothing is sent before a list is opened or changes wait.
    ///
    /// - Parameters:
    ///   - server: the server's URL, including any path before `/lists`.
    ///   - account: the name of the account on the device; each account has files of its own.
    ///   - index: the id of the list that has ``lists``.
    ///   - folds: the id of a list of folds, such as "folds-anna": then the user hides subtasks only for this account.
    ///   - storage: the folder of the files; nil: a folder in Application Support. Use a folder of an app group to share the lists with
    ///     widgets and extensions.
    ///   - headers: header fields to add to each request.
    ///   - urlSession: a session whose configuration is used, and whose delegate answers authentication challenges; nil: the default.
    ///   - token: returns the token for a request, nil for none. It is called before each request.
    public convenience init(
        server: URL, account: String, index: String = "index", folds: String? = nil,
        storage: URL? = nil, headers: [String: String] = [:], urlSession: URLSession? = nil,
        token: (@Sendable () async -> String?)? = nil
    ) {
        let client = ReorderClient(
            server: server, storage: storage ?? Self.folder(server, account), headers: headers,
            folds: folds, urlSession: urlSession, token: token)
        self.init(client: client, index: index)
    }

    init(client: ReorderClient, index: String = "index") {
        self.client = client
        indexID = index
        let signals = client.statusSignals.stream
        Task { [weak self] in
            for await _ in signals { self?.count() }
        }
        let reopenings = client.reopenings.stream
        Task { [weak self] in
            for await _ in reopenings { self?.reopen() }
        }
        Task.detached { client.sendWaiting() }
    }

    /// The default folder: one for each server and account.
    private static func folder(_ server: URL, _ account: String) -> URL {
        let support = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)
        return (support.first ?? URL.temporaryDirectory)
            .appending(path: "reorderd")
            .appending(path: OutboxFolder.folderName(server.absoluteString))
            .appending(path: OutboxFolder.folderName(account))
    }

    /// Opens the lists that could not be opened before.
    private func reopen() {
        for list in open.values { list.list?.reopen() }
    }

    private func count() {
        let count = client.waitingCount
        if count != waitingCount { waitingCount = count }
    }

    // MARK: Lists

    /// A list, at once: while somebody holds it, the same object. If it was displayed on this device before, it has its rows; any other
    /// list is fetched. Errors are its ``LiveList/phase``.
    public func list(_ id: String) -> LiveList {
        if let list = open[id]?.list {
            list.reopen()
            return list
        }
        open = open.filter { $0.value.list != nil }
        let list = LiveList(id: id, client: client)
        open[id] = WeakList(list: list)
        return list
    }

    /// The lists of the account, in the order of the index, also without a network. Each row's ``LiveList/Row/listID`` is the id of the
    /// list, its title the title in the index.
    public var lists: [LiveList.Row] { index.rows.filter { $0.listID != nil } }

    /// The index of lists: an ordinary list whose rows stand for lists, with folders as their parents. Move, rename and delete its rows
    /// like others. ``createList(_:id:)`` adds rows.
    public var index: LiveList {
        if let heldIndex { return heldIndex }
        let index = list(indexID)
        heldIndex = index
        return index
    }

    /// Finds tasks by their titles and their `data` in all lists of the account, as
    /// ``ReorderClient/ReorderClient/search(_:isDone:filters:order:limit:)`` does. It needs the network.
    ///
    /// - Throws: `invalid`, `unauthorized`, `unreachable` or `cancelled`.
    public func search(
        _ text: String? = nil, filters: [String] = [], order: String? = nil
    ) async throws(ClientError) -> [FoundTask] {
        try await client.search(text, filters: filters, order: order)
    }

    /// Creates a list, and adds it to the index. It needs the network.
    ///
    /// - Parameter id: nil: a new UUID.
    /// - Returns: the id of the list.
    /// - Throws: `invalid`, `refused` if the list exists, `unauthorized`, `unreachable` or `cancelled`.
    @discardableResult
    public func createList(_ title: String, id: String? = nil) async throws(ClientError) -> String {
        let id = id ?? UUID().uuidString.lowercased()
        // Before the index is created.
        try InputValidation.id(id)
        try InputValidation.title(title)
        do {
            try await client.createList(indexID, title: "Lists")
            await index.refreshNow()
        } catch .refused(.idTaken) {}  // It exists.
        try await client.createList(id, title: title)
        // The user can sign out meanwhile.
        guard !isSignedOut else { throw .closed }
        index.create(title, data: ["list": id])
        return id
    }

    /// Deletes a list for everybody, and its rows in the index. The server keeps it in its bin: the `undo()` of the ``index`` restores it.
    /// It needs the network.
    ///
    /// - Throws: `invalid`, `listNotFound`, `unauthorized`, `unreachable` or `cancelled`.
    public func deleteList(_ id: String) async throws(ClientError) {
        try await client.deleteList(id)
        index.forget(list: id)
    }

    // MARK: Sending

    /// Sends what waits, at once: for example when the app goes to the background.
    ///
    /// - Returns: whether nothing waits any more; false after a failure.
    @discardableResult
    public func flush() async -> Bool {
        reopen()
        let isSent = await client.flush()
        return isSent && !open.values.contains { $0.list?.phase.isFailed ?? false }
    }

    /// Contacts the server at once, for example after the user has signed in again, and opens lists that could not be opened before. When
    /// the network changes, and when the app comes to the foreground, the store does it by itself.
    public func retryNow() {
        reopen()
        client.retryNow()
    }

    /// Ends all lists, and deletes their files. Changes that wait are lost: call ``flush()`` first, and look at ``waitingCount``. All other
    /// calls are refused afterwards.
    ///
    /// - Throws: `storage` if a file can't be deleted. Call it again then: it deletes the files that are left.
    public func signOut() throws(ClientError) {
        isSignedOut = true
        defer {
            for list in open.values { list.list?.end() }
            heldIndex = nil
            waitingCount = 0
        }
        try client.signOut()
    }
}
