import MicroHTTP
import ReorderAccess
import ReorderService

/// Who may do what, held against each request.
struct AccessGate: Sendable {
    let control: AccessControl

    /// Tells who sends a request, once: everything after asks the request.
    func recognise(_ request: inout Request) {
        switch control.grant(for: request.headers.all("Authorization")) {
        case .success(let grant): request.sender = grant
        case .failure(let denial): request.sender = Stranger(denial)
        }
    }

    /// Makes sure that the sender may do what the route needs, before anything is looked up.
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

    /// Whether a list may be read by the sender: for answers that are ready.
    func mayRead(_ list: String, _ request: Request) -> Bool {
        guard let grant = request.grant else { return false }
        return grant.scope >= .read && grant.lists.allow(list)
    }

    /// Makes sure that what the sender was granted holds still: for answers that come later.
    func checkStillInForce(_ request: Request) throws(Problem) {
        guard let grant = request.grant, control.isInForce(grant) else { throw Problem(.expired) }
    }

    /// A stream that ends where what its client was granted does.
    func guarding(_ events: ListEvents, for request: Request) -> (any EventSource)? {
        request.grant.map { GuardedEvents(events, for: $0, control) }
    }
}

extension Grant: RequestSender {
    package var senderName: String? { identity }
}

/// Someone who is not recognised.
private final class Stranger: RequestSender {
    let denial: Denial
    var senderName: String? { nil }

    init(_ denial: Denial) {
        self.denial = denial
    }
}

extension Request {
    /// What the sender has been granted; `nil` where nobody is asked who he is, or he is a stranger.
    var grant: Grant? { sender as? Grant }

    /// The lists that the sender may see; `nil`: all.
    var scope: ListScope? {
        guard let lists = grant?.lists, lists != .all else { return nil }
        return ListScope { lists.allow($0) }
    }
}
