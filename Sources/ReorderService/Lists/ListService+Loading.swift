import Logging
import ReorderEngine
import ReorderJSON
import ReorderStore

extension ListService {
    /// Loads a busy list: reads its snapshot and the changes after it, and replays them.
    ///
    /// A worker reads the list, and another one replays it if it is not small. An immediate store,
    /// and one that a tool uses, is read on this thread.
    func load(_ list: CachedList) {
        cacheUse.misses.add()
        if store.isImmediate || !environment.readsOnWorkers { return read(list) }
        if !workers.run(.small, { self.read(list) }) { release(list, .unavailable) }
    }

    private func read(_ list: CachedList) {
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

    private func replay(_ stored: StoredList?, into list: CachedList) {
        do {
            let replayed = try stored?.content?.replayed() ?? .absent
            list.withLock { $0.load(stored, replayed) }
            release(list)
        } catch {
            logger.error("list \(list.id) can't be read", metadata: ["error": "\(error)"])
            release(list, .unreadable)
        }
    }

    /// The client's error for a failure of the store. The details are logged.
    func failure(_ error: StoreError, list: String) -> ServiceError {
        Self.error(error, of: list, logger, isShared: shared != nil)
    }

    /// - Parameter isShared: whether the store itself logs when it becomes unreachable and
    ///   reachable.
    static func error(
        _ error: StoreError, of list: String, _ logger: Logger, isShared: Bool = false
    ) -> ServiceError {
        if isShared, case .unavailable = error { return .unavailable }
        logger.error("the store failed", metadata: ["list": "\(list)", "error": "\(error)"])
        if case .corrupt = error { return .unreadable }
        return .unavailable
    }
}

extension StoredList.Content {
    /// The size in memory.
    var byteCount: Int { changes.reduce(snapshot.count) { $0 + $1.bytes.count } }

    /// Replays the changes on the snapshot.
    package func replayed() throws -> ReorderableList {
        var list = try ListDocument(json: snapshot).makeList()
        for change in changes {
            let change = try ChangeDocument(json: change.bytes)
            list.changeTime = change.milliseconds
            for operation in change.operations {
                try list.apply(operation)
            }
        }
        return list
    }
}
