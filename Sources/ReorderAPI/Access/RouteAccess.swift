import MicroHTTP
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

    /// Of each route. What a body names besides, as a move's `toList`, is looked at where the write
    /// is made: it carries what its sender may change.
    static let table: [Router.Route: RouteAccess] = [
        route(.get, "/lists"): .read(.index),
        route(.post, "/lists"): .write(.inBody),
        route(.get, "/lists/:id"): .read(.inPath),
        route(.put, "/lists/:id"): .write(.inPath),
        route(.patch, "/lists/:id"): .write(.inPath),
        route(.delete, "/lists/:id"): .write(.inPath),

        route(.post, "/lists/:id/sections"): .write(.inPath),
        route(.patch, "/lists/:id/sections/:sid"): .write(.inPath),
        route(.delete, "/lists/:id/sections/:sid"): .write(.inPath),
        route(.post, "/lists/:id/sections/:sid/move"): .write(.inPath),

        route(.post, "/lists/:id/tasks"): .write(.inPath),
        route(.post, "/lists/:id/move"): .write(.inPath),
        route(.post, "/lists/:id/batch"): .write(.inPath),
        route(.get, "/tasks/:id"): .read(.holdingTask),
        route(.patch, "/tasks/:id"): .write(.holdingTask),
        route(.delete, "/tasks/:id"): .write(.holdingTask),
        route(.post, "/tasks/:id/collapse"): .write(.holdingTask),

        route(.post, "/task/"): .write(.inBodyOrHoldingTask),
        route(.put, "/task/:id"): .write(.inBodyOrHoldingTask),

        route(.post, "/lists/:id/undo"): .write(.inPath),

        route(.post, "/lists/:id/drags"): .write(.inPath),
        route(.patch, "/drags/:id"): .write(.ofDrag),
        route(.post, "/drags/:id/drop"): .write(.ofDrag),
        route(.delete, "/drags/:id"): .write(.ofDrag),

        route(.get, "/lists/:id/changes"): .read(.inPath),
        route(.get, "/lists/:id/events"): .read(.inPath),

        route(.get, "/healthz"): .nothing,
        route(.get, "/readyz"): .nothing,
        route(.get, "/metrics"): .admin,
        route(.get, "/openapi.yaml"): .nothing,
        route(.get, "/"): .nothing,
        route(.get, "/web/:build/:file"): .nothing,
    ]

    private static func route(_ method: HTTPMethod, _ pattern: String) -> Router.Route {
        Router.Route(method: method, pattern: pattern)
    }
}
