import Logging
import ReorderEngine
import ReorderJSON
import ReorderStore

extension ListService {
    /// The client's error for a failure of the store. The details are logged.
    func failure(_ error: StoreError, list: String) -> ServiceError {
        Self.error(error, of: list, logger, isShared: durable.shared != nil)
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
