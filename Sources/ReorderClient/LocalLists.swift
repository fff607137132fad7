import ReorderEngine

/// The lists of a client without a server: changes are final at once, and end with the process.
final class LocalLists: Transport {
    private let lists: Lock<[String: ReorderableList]>

    init(_ lists: [String: ReorderableList]) { self.lists = Lock(lists) }

    /// A machine of a list, which does not exist if it is unknown.
    func machine(of list: String) throws -> SyncMachine {
        try SyncMachine(
            local: lists.withLock { $0[list] }, list: list, storage: ReadBytes(bytes: []))
    }

    /// There is no server.
    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        Task { handler(.end(isComplete: false)) }
        return {}
    }
}
