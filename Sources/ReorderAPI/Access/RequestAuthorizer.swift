import MicroHTTP
import ReorderAuth
import ReorderService

/// Checks each request against the access rules.
struct RequestAuthorizer: Sendable {
    let control: AccessControl

    /// Authenticates the client once. Later code reads the result from the request.
    ///
    /// - Parameter acceptsPasswords: whether a token can also be the password of the scheme Basic.
    func authenticate(_ request: inout Request, acceptsPasswords: Bool = false) {
        let fields = request.headers.all("Authorization")
        if fields.isEmpty, let ticket = request.query["ticket"] {
            switch control.access(forTicket: ticket) {
            case .success(let access): request.principal = TicketPrincipal(access: access)
            case .failure(let denial): request.principal = AnonymousPrincipal(denial)
            }
            return
        }
        switch control.access(for: fields, acceptsPasswords: acceptsPasswords) {
        case .success(let access): request.principal = access
        case .failure(let denial): request.principal = AnonymousPrincipal(denial)
        }
    }

    /// Checks that the client has the scope and the list access that the route needs, before any
    /// lookup.
    func check(_ request: Request, needs needed: RouteAccess) throws(Problem) {
        guard needed.scope > .none else { return }
        guard let grants = request.tokenAccess?.grants else {
            throw Problem((request.principal as? AnonymousPrincipal)?.denial ?? .missing)
        }
        guard grants.include(needed.scope) else { throw Problem(missing: needed.scope) }
        guard needed.allowsLinks || request.tokenAccess?.link == nil else {
            throw Problem.linkNotEnough
        }
        let list = request.parameter("id")
        switch needed.list {
        case .inPath: try check(grants, needed.scope, for: list)
        case .sourceInPath: try check(grants, .read, for: list)
        case .none, .index, .inBody, .containingTask, .containingSource, .inBodyOrContainingTask,
            .ofDrag:
            break
        }
    }

    private func check(
        _ grants: Grants, _ scope: AccessScope, for list: String
    ) throws(Problem) {
        guard grants.include(.read, for: list) else {
            throw Problem(ServiceError.listForbidden(list))
        }
        guard grants.include(scope, for: list) else { throw Problem(missing: scope, for: list) }
    }

    /// Whether the client may read a list. Used for cached responses.
    func mayRead(_ list: String, _ request: Request) -> Bool {
        request.tokenAccess?.grants.include(.read, for: list) ?? false
    }

    /// Checks that the client's access is still in force. Used for responses that were delayed.
    func recheck(_ request: Request) throws(Problem) {
        guard let token = request.tokenAccess, control.isInForce(token) else {
            throw Problem(.expired)
        }
    }
}

extension TokenAccess: ListRights {
    package func allowReading(_ list: String) -> Bool { grants.readableLists.allow(list) }
    package func allowWriting(_ list: String) -> Bool { grants.writableLists.allow(list) }
}

extension TokenAccess: Principal {
    package var principalName: String? { identity }
    package var displayName: String? { name }
}

/// A client with a ticket for event streams. It has no access to other routes.
final class TicketPrincipal: Principal {
    let access: TokenAccess
    var principalName: String? { access.principalName }
    var displayName: String? { access.displayName }

    init(access: TokenAccess) {
        self.access = access
    }
}

/// A client without valid credentials.
private final class AnonymousPrincipal: Principal {
    let denial: Denial
    var principalName: String? { nil }
    var displayName: String? { nil }

    init(_ denial: Denial) {
        self.denial = denial
    }
}

extension Request {
    /// The client's access; nil if the server has no access control or the client is anonymous.
    var tokenAccess: TokenAccess? { principal as? TokenAccess }

    /// The version after which the client may see the changes of a list that it may read.
    var historyAfter: Int { tokenAccess?.historyAfter ?? 0 }

    /// The lists that the client may read, those that it may change, and those of its scope `admin`.
    var readableLists: ListPatterns { tokenAccess?.grants.readableLists ?? .all }
    var administeredLists: ListPatterns { tokenAccess?.grants.administeredLists ?? .all }
    var writableLists: ListPatterns { tokenAccess?.grants.writableLists ?? .all }

    /// What the client may do with lists; nil if it may read and change all.
    var rights: (any ListRights)? {
        guard let access = tokenAccess, access.grants.writableLists != .all else { return nil }
        return access
    }

    /// The same request of another principal.
    func with(_ principal: some Principal) -> Request {
        var request = self
        request.principal = principal
        return request
    }
}

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
