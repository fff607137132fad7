import ReorderAuth

/// The scope that a request needs, and the source of its list's id.
struct RouteAccess: Sendable, Equatable {
    let scope: AccessScope
    let list: List
    /// Whether links to a list may be used. They change what is in the list, not the list itself.
    var allowsLinks = true

    enum List: Sendable, Hashable {
        /// The request is not about a list.
        case none
        /// The id is `:id` in the path. If the client has no access to the list, the request is
        /// refused before any lookup.
        case inPath
        /// The list `:id` in the path is only read, with the scope `read`. The id of the list that is
        /// changed is in the body, or the server generates it.
        case sourceInPath
        /// The response contains only lists that the client has access to.
        case index
        /// The id is in the body, or the server generates it.
        case inBody
        /// The list that contains the task `:id`. If the client has no access to it, the task is
        /// reported as not found.
        case containingTask
        /// The list that contains the task `:id` is only read, unless it is also changed. The list that
        /// is changed is in the body. If it is omitted, it is the same list.
        case containingSource
        /// The id is in the body. If it is omitted, the list is the one that contains the task.
        case inBodyOrContainingTask
        /// The list of the drag `:id`. If the client has no access to it, the drag is reported as
        /// not found.
        case ofDrag
    }

    static let nothing = RouteAccess(scope: .none, list: .none)
    static func read(_ list: List) -> Self { RouteAccess(scope: .read, list: list) }
    /// Requests of readers about no list.
    static let reader = RouteAccess(scope: .read, list: .none)
    static func write(_ list: List) -> Self { RouteAccess(scope: .write, list: list) }
    /// Requests of people and apps, not of those who only have a link.
    static func withoutLinks(_ access: Self) -> Self {
        var access = access
        access.allowsLinks = false
        return access
    }
    static let admin = RouteAccess(scope: .admin, list: .none)
    static let metrics = RouteAccess(scope: .metrics, list: .none)
}
