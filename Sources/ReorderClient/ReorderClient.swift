import Foundation
// The rules' types are those of the client: one import is enough for an app.
@_exported import ReorderEngine
import ReorderJSON

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client of a reorderd server, for use in apps.
///
/// ```swift
/// let client = ReorderClient(server: serverURL, storage: folderURL)
/// let list = try await client.list("groceries")
/// try list.move(["apples"], to: .after("pears"))
/// for await list in list.snapshots { … }
/// ```
public final class ReorderClient: Sendable {
    let folder: OutboxFolder
    let transport: any Transport
    /// The id of the list of folds.
    private let folds: String?
    private let clock: @Sendable () -> Double
    let runners = Lock<[String: ListRunner]>([:])
    private let signals = Lock<ClientSignals?>(nil)
    /// The lists of a client without a server and files; nil for other clients.
    let memory: LocalLists?
    /// An element after each change of a list's status.
    let statusSignals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// An element when lists that could not be opened are to be opened again.
    let reopenings = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let signedOut = Lock(false)
    /// What could not be opened to be sent.
    let unopened = Lock(Unopened())

    /// Creates a client of a server. Nothing is sent before a list is opened.
    ///
    /// - Parameters:
    ///   - server: the server's URL, including any path before `/lists`.
    ///   - storage: a folder of the app, created if it does not exist. It has one file for each
    ///     list, with the list and the operations waiting to be sent. Use one folder for each
    ///     server and account.
    ///   - headers: header fields to add to each request.
    ///   - folds: the id of a list of folds, such as "folds-alice":
    ///     ``SyncedList/collapse(_:_:)`` folds tasks only for the person to whom it belongs. The
    ///     client creates the list if it does not exist. nil: tasks are folded for everyone.
    ///   - urlSession: the session that sends the requests, for example with an `URLProtocol` of a test, or a delegate that checks
    ///     certificates; nil: a session of the library.
    ///   - token: returns the token for a request (`Authorization: Bearer …`). It is called before
    ///     each request, so an expired token can be replaced; nil means no token. If the server
    ///     rejects the token, lists are `unauthorized` and operations wait; call ``flush()`` after obtaining another token to avoid
    ///     waiting for the next attempt.
    public convenience init(
        server: URL, storage: URL, headers: [String: String] = [:], folds: String? = nil,
        urlSession: URLSession? = nil, token: (@Sendable () async -> String?)? = nil
    ) {
        let transport = URLSessionTransport(
            server: server, headers: headers, session: urlSession)
        self.init(
            storage: storage,
            transport: token.map { TokenTransport(transport: transport, token: $0) } ?? transport,
            folds: folds)
        follow(.default)
    }

    /// - Parameters:
    ///   - memory: the lists of a client without a server and files.
    ///   - clock: returns the time in seconds since any moment.
    init(
        storage: URL, transport: any Transport, folds: String? = nil, memory: LocalLists? = nil,
        clock: @escaping @Sendable () -> Double = ReorderClient.uptime
    ) {
        folder = OutboxFolder(url: storage)
        self.transport = transport
        self.folds = folds
        self.memory = memory
        self.clock = clock
    }

    /// Creates a client without a server and files, for previews and tests.
    convenience init(memory: LocalLists) {
        self.init(storage: .temporaryDirectory, transport: memory, memory: memory)
    }

    private static let start = ContinuousClock.now

    /// The time in seconds since the process first called it.
    @Sendable static func uptime() -> Double { (ContinuousClock.now - start) / .seconds(1) }

    /// Opens a list to display and change. Each call returns an object of its own; objects of the same list have the same state.
    ///
    /// A list that was opened on this device before is available immediately, even without a
    /// network, with its pending operations. Any other list is fetched first. The same is true for
    /// the list of folds, which is opened with the first list.
    ///
    /// - Throws: `invalid` if the id is malformed; `storage` if the file can't be used;
    ///   `unreachable`, `listNotFound` or `unauthorized` if fetching it, or the list of folds, fails;
    ///   `cancelled`.
    public func list(_ id: String) async throws(ClientError) -> SyncedList {
        var foldList: SyncedList?
        if let folds, id != folds {
            let list = try open(folds, folds: nil)
            try await load(list, isCreated: true)
            foldList = list
        }
        let list = try open(id, folds: foldList)
        try await load(list)
        return list
    }

    /// Waits until a list is loaded.
    ///
    /// - Parameter isCreated: whether it is created as a list of folds if it does not exist.
    private func load(_ list: SyncedList, isCreated: Bool = false) async throws(ClientError) {
        for await status in list.statuses {
            switch status.connection {
            case .gone where isCreated: try await createFolds(list)
            case _ where status.version > 0: return
            case .connecting: break
            case .online, .offline, .gone, .unauthorized:
                list.close()
                switch status.connection {
                case .gone: throw .listNotFound
                case .unauthorized: throw .unauthorized
                default: throw .unreachable
                }
            }
        }
        throw .afterWaiting(otherwise: .closed)
    }

    private func createFolds(_ list: SyncedList) async throws(ClientError) {
        // Also after a failure: if the network is away, the status changes, and the list is created later.
        defer { list.runner.retryNow() }
        do {
            try await createList(list.id, title: "Folds")
        } catch .refused(.idTaken) {}  // Another device was first.
    }

    /// Contacts the server immediately for all lists, and replaces connections that are silent. Opens what could not be opened before, and
    /// takes over the operations of extensions. On Apple's systems, the client calls it when the network changes and when the app comes
    /// to the foreground.
    package func retryNow() {
        for runner in runners.withLock({ Array($0.values) }) {
            // Its list is opened again, with the file as it is now.
            if runner.hasLostFile { runner.shutDown() } else { runner.retryNow() }
        }
        reopenings.continuation.yield()
        DispatchQueue.global(qos: .utility).async { [weak self] in self?.openWaiting() }
    }

    /// Follows the app's life by the notifications of the system.
    func follow(_ center: NotificationCenter) {
        signals.withLock { $0 = ClientSignals(center: center) { [weak self] in self?.handle($0) } }
    }

    func handle(_ signal: ClientSignals.Signal) {
        switch signal {
        case .foreground:
            for runner in runners.withLock({ Array($0.values) }) { runner.setHeld(true) }
            retryNow()
        case .background:
            for runner in runners.withLock({ Array($0.values) }) { runner.setHeld(false) }
        case .network: retryNow()
        case .interval:
            _ = openInboxes()
            reopenings.continuation.yield()
        }
    }

    /// The runner of a list that is open, or has operations to send.
    func openRunner(_ id: String) -> ListRunner? { runners.withLock { $0[id] } }

    /// Opens a list without waiting for its content.
    func openNow(_ id: String) throws(ClientError) -> SyncedList {
        guard let folds, id != folds else { return try open(id, folds: nil) }
        let foldList = try open(folds, folds: nil)
        if foldList.status.version == 0 {
            Task { [weak self] in
                for await status in foldList.statuses where status.connection == .gone {
                    try? await self?.createFolds(foldList)
                }
            }
        }
        return try open(id, folds: foldList)
    }

    private func open(_ id: String, folds: SyncedList?) throws(ClientError) -> SyncedList {
        try InputValidation.id(id)
        do {
            return try runners.withLock { runners in
                guard !isSignedOut else { throw ClientError.closed }
                if let runner = runners[id], let handle = runner.open() {
                    // The runner has its own.
                    folds?.close()
                    return SyncedList(id: id, runner: runner, handle: handle)
                }
                let runner = try makeRunner(id, folds: folds)
                guard let handle = runner.open() else { throw ClientError.closed }
                // A list in memory has no other place: it stays open.
                if memory != nil { _ = runner.open() }
                runners[id] = runner
                return SyncedList(id: id, runner: runner, handle: handle)
            }
        } catch let error as ClientError {
            throw error
        } catch {
            throw .storage(of: error)
        }
    }

    /// Whether the client has signed out: all calls are refused.
    var isSignedOut: Bool { signedOut.withLock(\.self) }

    /// Ends all lists, and deletes their files with the operations that wait. All calls are refused afterwards, except this one: it deletes
    /// what could not be deleted.
    ///
    /// - Throws: `storage` if a file can't be deleted.
    func signOut() throws(ClientError) {
        let open = runners.withLock { runners in
            signedOut.withLock { $0 = true }
            defer { runners = [:] }
            return Array(runners.values)
        }
        for runner in open { runner.shutDown() }
        statusSignals.continuation.yield()
        guard memory == nil else { return }
        do {
            try folder.removeFiles()
        } catch {
            throw .storage(of: error)
        }
    }

    private func makeRunner(_ id: String, folds: SyncedList?) throws -> ListRunner {
        let onStatus: @Sendable () -> Void = { [statusSignals] in statusSignals.continuation.yield()
        }
        if let memory {
            return ListRunner(
                machine: try memory.machine(of: id), transport: memory,
                storage: ReadBytes(bytes: []),
                clock: clock, onStatus: onStatus, onStop: { _ in })
        }
        try folder.create()
        let file = try OutboxFile(folder.file(of: id))
        let machine = try SyncMachine(
            list: id, storage: file, newClient: UUID().uuidString.lowercased(),
            random: SystemRandomNumberGenerator())
        return ListRunner(
            machine: machine, transport: transport, storage: file,
            inbox: Inbox(url: folder.inbox(of: id)),
            excerpt: ExcerptFile(url: folder.excerpt(of: id), isSignedOut: signedOut),
            folds: folds, clock: clock, onStatus: onStatus,
            onStop: { [weak self] runner in
                self?.runners.withLock { runners in
                    if runners[id] === runner { runners[id] = nil }
                }
            })
    }
}
