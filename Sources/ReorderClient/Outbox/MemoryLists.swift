import ReorderEngine

/// The lists of a client without a server: changes are final at once, and end with the process.
final class MemoryLists: Transport, OutboxStorage {
    private let lists: Lock<[String: ReorderableList]>

    init(_ lists: [String: ReorderableList]) { self.lists = Lock(lists) }

    /// A machine of a list, which does not exist if it is unknown.
    func machine(of list: String) throws -> SyncMachine {
        try SyncMachine(local: lists.withLock { $0[list] }, list: list, storage: self)
    }

    // MARK: Transport

    /// There is no server.
    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        Task { handler(.end(isComplete: false)) }
        return {}
    }

    // MARK: OutboxStorage: nothing is stored

    func read() -> [UInt8] { [] }
    func append(_ bytes: [UInt8]) {}
    func cut(to count: Int) {}
    func prepare(_ bytes: [UInt8]) {}
    func replace(keepingFrom offset: Int) {}
    func sync() {}
    func close(isWorthless: Bool) {}
}
