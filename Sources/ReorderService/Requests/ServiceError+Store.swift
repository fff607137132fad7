import Logging
import ReorderStore

extension ServiceError {
    /// The client's error for a failure of the store. The details are logged.
    ///
    /// - Parameter isShared: whether the store itself logs when it becomes unreachable and
    ///   reachable.
    static func of(
        _ error: StoreError, list: String, _ logger: Logger, isShared: Bool = false
    ) -> ServiceError {
        if isShared, case .unavailable = error { return .unavailable }
        logger.error("the store failed", metadata: ["list": "\(list)", "error": "\(error)"])
        if case .corrupt = error { return .unreadable }
        return .unavailable
    }
}
