import MicroHTTP
import ReorderAuth
import ReorderService

/// Checks each request against the access rules.
struct RequestAuthorizer: Sendable {
    let control: AccessControl

    /// Authenticates the client once. Later code reads the result from the request.
    func authenticate(_ request: inout Request) {
        let fields = request.headers.all("Authorization")
        if fields.isEmpty, let ticket = request.query["ticket"] {
            switch control.access(forTicket: ticket) {
            case .success(let access): request.principal = TicketPrincipal(access: access)
            case .failure(let denial): request.principal = AnonymousPrincipal(denial)
            }
            return
        }
        switch control.access(for: fields) {
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

extension Grants: ListRights {
    package func allowReading(_ list: String) -> Bool { readableLists.allow(list) }
    package func allowWriting(_ list: String) -> Bool { writableLists.allow(list) }
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
    var rights: (any ListRights)? { writableLists == .all ? nil : tokenAccess?.grants }
}
