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
            switch control.grant(forTicket: ticket) {
            case .success(let grant): request.principal = TicketPrincipal(grant: grant)
            case .failure(let denial): request.principal = AnonymousPrincipal(denial)
            }
            return
        }
        switch control.grant(for: fields) {
        case .success(let grant): request.principal = grant
        case .failure(let denial): request.principal = AnonymousPrincipal(denial)
        }
    }

    /// Checks that the client has the scope and the list access that the route needs, before any
    /// lookup.
    func check(_ request: Request, needs needed: RouteAccess) throws(Problem) {
        guard needed.scope > .none else { return }
        guard let grant = request.grant else {
            throw Problem((request.principal as? AnonymousPrincipal)?.denial ?? .missing)
        }
        guard grant.scope.includes(needed.scope) else { throw Problem(missing: needed.scope) }
        guard needed.list != .inPath || grant.lists.allow(request.parameter("id")) else {
            throw Problem(ServiceError.listForbidden(request.parameter("id")))
        }
    }

    /// Whether the client may read a list. Used for cached responses.
    func mayRead(_ list: String, _ request: Request) -> Bool {
        guard let grant = request.grant else { return false }
        return grant.scope >= .read && grant.lists.allow(list)
    }

    /// Checks that the client's grant is still in force. Used for responses that were delayed.
    func recheck(_ request: Request) throws(Problem) {
        guard let grant = request.grant, control.isInForce(grant) else { throw Problem(.expired) }
    }

    /// Wraps a stream so that it ends when the client's grant ends.
    func guarding(_ events: any EventSource, for request: Request) -> (any EventSource)? {
        request.grant.map { AuthorizedEvents(events, for: $0, control) }
    }
}

extension ListPatterns: ListScope {}

extension Grant: Principal {
    package var principalName: String? { identity }
    package var displayName: String? { name }
}

/// A client with a ticket for event streams. It has no grant on other routes.
final class TicketPrincipal: Principal {
    let grant: Grant
    var principalName: String? { grant.principalName }
    var displayName: String? { grant.displayName }

    init(grant: Grant) {
        self.grant = grant
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
    var grant: Grant? { principal as? Grant }

    /// The lists that the client may use; nil means all.
    var scope: (any ListScope)? {
        guard let lists = grant?.lists, lists != .all else { return nil }
        return lists
    }
}
