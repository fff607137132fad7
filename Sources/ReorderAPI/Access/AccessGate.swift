import MicroHTTP
import ReorderAccess
import ReorderService

/// Checks each request against the access rules.
struct AccessGate: Sendable {
    let control: AccessControl

    /// Authenticates the client once. Later code reads the result from the request.
    func recognise(_ request: inout Request) {
        switch control.grant(for: request.headers.all("Authorization")) {
        case .success(let grant): request.sender = grant
        case .failure(let denial): request.sender = Stranger(denial)
        }
    }

    /// Checks that the client has the scope and the list access that the route needs, before any
    /// lookup.
    func check(_ request: Request, needs needed: RouteAccess) throws(Problem) {
        guard needed.scope > .none else { return }
        guard let grant = request.grant else {
            throw Problem((request.sender as? Stranger)?.denial ?? .missing)
        }
        guard grant.scope >= needed.scope else { throw Problem(missing: needed.scope) }
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
    func checkStillInForce(_ request: Request) throws(Problem) {
        guard let grant = request.grant, control.isInForce(grant) else { throw Problem(.expired) }
    }

    /// Wraps a stream so that it ends when the client's grant ends.
    func guarding(_ events: ListEvents, for request: Request) -> (any EventSource)? {
        request.grant.map { GuardedEvents(events, for: $0, control) }
    }
}

extension Grant: RequestSender {
    package var senderName: String? { identity }
}

/// A client without valid credentials.
private final class Stranger: RequestSender {
    let denial: Denial
    var senderName: String? { nil }

    init(_ denial: Denial) {
        self.denial = denial
    }
}

extension Request {
    /// What the client was granted; nil if the server has no access control or the client is
    /// anonymous.
    var grant: Grant? { sender as? Grant }

    /// The lists that the client may use; nil means all.
    var scope: ListScope? {
        guard let lists = grant?.lists, lists != .all else { return nil }
        return ListScope { lists.allow($0) }
    }
}
