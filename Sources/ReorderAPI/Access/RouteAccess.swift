import ReorderAccess

/// What a request needs, and how the list that it is about is found.
struct RouteAccess: Sendable, Equatable {
    let scope: AccessScope
    let list: List

    enum List: Sendable, Hashable {
        /// It is about no list.
        case none
        /// `:id` in the path. One that is not allowed is refused before anything is looked up.
        case inPath
        /// Only those of the index are told that are allowed.
        case index
        /// The body names it, or the server makes its id.
        case inBody
        /// The one that holds the task `:id`. In a list that is not allowed there is no such task.
        case holdingTask
        /// The body names it; else it is the one that holds the task.
        case inBodyOrHoldingTask
        /// The one of the drag `:id`. Of a list that is not allowed there is no such drag.
        case ofDrag
    }

    static let nothing = RouteAccess(scope: .none, list: .none)
    static func read(_ list: List) -> Self { RouteAccess(scope: .read, list: list) }
    static func write(_ list: List) -> Self { RouteAccess(scope: .write, list: list) }
    /// What concerns the server and no list.
    static let admin = RouteAccess(scope: .admin, list: .none)
}
