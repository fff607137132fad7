import Logging
import ReorderEngine
import ReorderJSON
import ReorderStore

extension ListService {
    /// Loads a list that is held for it: its snapshot, and the changes after it, replayed.
    ///
    /// A worker reads it, and another one replays it if it is not small. What an immediate store has is
    /// there at once.
    func load(_ list: LoadedList) {
        visits.misses.add()
        if store.isImmediate { return read(list) }
        if !workers.run(.small, { self.read(list) }) { release(list, .unavailable) }
    }

    private func read(_ list: LoadedList) {
        let stored: StoredList?
        do throws(StoreError) {
            stored = try store.load(list.id)
        } catch {
            return release(list, failure(error, list: list.id))
        }
        let bytes = stored?.content?.byteCount ?? 0
        let size = WorkerThreads.Size(bytes: bytes)
        if size == .small { return replay(stored, into: list) }
        if !workers.run(size, holding: bytes, { self.replay(stored, into: list) }) {
            release(list, .unavailable)
        }
    }

    private func replay(_ stored: StoredList?, into list: LoadedList) {
        do {
            let replayed = try stored?.content?.replayed() ?? .absent
            list.state.withLock { $0.load(stored, replayed) }
            release(list)
        } catch {
            logger.error("list \(list.id) can't be read", metadata: ["error": "\(error)"])
            release(list, .unreadable)
        }
    }

    /// What a store's error means to a client; the log says more.
    func failure(_ error: StoreError, list: String) -> ServiceError {
        // A shared store tells of itself when it goes and comes back, not at each request.
        if sharing != nil, case .unavailable = error { return .unavailable }
        Self.tell(error, of: list, logger)
        if case .corrupt = error { return .unreadable }
        return .unavailable
    }

    static func tell(_ error: StoreError, of list: String, _ logger: Logger) {
        logger.error("the store failed", metadata: ["list": "\(list)", "error": "\(error)"])
    }
}

extension StoredList.Content {
    /// What it takes in memory.
    fileprivate var byteCount: Int { changes.reduce(snapshot.count) { $0 + $1.bytes.count } }

    /// The list that the snapshot and the changes after it give.
    package func replayed() throws -> ReorderableList {
        var list = try ListDocument(json: snapshot).makeList()
        for change in changes {
            for operation in try ChangeDocument(json: change.bytes).operations {
                try list.apply(operation)
            }
        }
        return list
    }
}
