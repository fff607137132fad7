import Logging
import ReorderEngine
import ReorderJSON
import ReorderStore

extension ListService {
    /// Reads a list from the store: its snapshot, and the changes after it, replayed.
    ///
    /// - Parameter standing: what is known of it already.
    func load(
        _ id: String, _ standing: Standing?, into state: inout LoadedList.State
    ) throws(ServiceError) {
        let stored: StoredList?
        do {
            stored =
                if let standing, standing.isAbsent {
                    StoredList(version: standing.version, content: nil)
                } else {
                    try store.load(id)
                }
        } catch {
            throw failure(error, list: id)
        }
        state.version = stored?.version ?? 0
        state.durableVersion = state.version
        state.readVersion = state.version
        if let content = stored?.content {
            do {
                state.list = try content.replayed()
            } catch {
                logger.error("list \(id) can't be read", metadata: ["error": "\(error)"])
                throw .unreadable
            }
            state.exists = true
            state.snapshotBytes = content.snapshot.count
            state.bytesSinceSnapshot = content.changes.reduce(0) { $0 + $1.bytes.count }
        }
        state.isLoaded = true
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
