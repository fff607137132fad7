import MicroHTTP
import ReorderAuth
import ReorderJSON
import ReorderService
import ReorderStore

/// Links to a list: tokens for this list, which people who may change it give to others.
extension ReorderAPI {
    /// The maximum number of links to a list.
    static let sharesPerList = 100
    /// The maximum number of links that one client has made: nobody can use up those of the server.
    static let sharesPerMaker = 1_000
    private static let day: Int64 = 24 * 60 * 60 * 1_000
    /// How long a link is valid: without another wish, and at most.
    static let standardShareTime = 30 * day
    static let maximumShareTime = 366 * day

    func postShare(_ request: Request) throws -> Job {
        let body = try request.read { reader throws(JSONTypeError) in
            try ShareBody(from: &reader)
        }
        let maker = try tokenMaker(request)
        let list = request.parameter("id")
        // In a grant, another text could be a pattern.
        guard Identifier.isValid(list) else { throw Problem(ServiceError.listNotFound(list)) }
        let now = service.now
        let expiresAt = body.expiresAt ?? now + Self.standardShareTime
        guard expiresAt > now else { throw Problem.expiryInPast }
        guard expiresAt <= now + Self.maximumShareTime else { throw Problem.shareTooLong }
        let secret = NewToken()
        let share = IssuedToken(
            id: makeID(), name: body.name, digest: secret.digest,
            grants: [GrantForm(body.scope, [list])], createdAt: now, createdBy: maker.author,
            expiresAt: expiresAt, link: list)
        guard !body.showsAllHistory else { return add(share, secret, to: list, maker, request) }
        return .wait(for: { [service] in service.position(of: list, $0) }) { [self] position in
            var share = share
            share.historyAfter = position.version
            return add(share, secret, to: list, maker, request)
        }
    }

    private func add(
        _ share: IssuedToken, _ secret: NewToken, to list: String, _ maker: TokenAccess,
        _ request: Request
    ) -> Job {
        .work(.tokens) { [self] in
            try addToken(share, request) { others in
                guard others.linksToList < Self.sharesPerList,
                    others.linksByMaker < Self.sharesPerMaker, others.links < tokenLimit
                else { throw Problem.tooManyShares(tokenLimit) }
            }
            return .respond(try shared(share, secret.text))
        }
    }

    private func shared(_ share: IssuedToken, _ secret: String) throws -> Response {
        var writer = JSONWriter()
        writer.share(share, secret: secret)
        let location = "/lists/\(share.link ?? "")/shares/\(share.id)"
        return .json(
            status: 201, headers: ["Cache-Control": "no-store", "Location": location], writer.bytes)
    }

    func getShares(_ request: Request) throws -> Job {
        _ = try tokenMaker(request)
        let list = request.parameter("id")
        return .work(.small) { [self] in
            let shares = try service.tokens(.links(list: list)).compactMap { stored in
                IssuedToken(bytes: stored.bytes)
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("list")
            writer.string(list)
            writer.name("shares")
            writer.beginArray()
            for share in shares where share.link == list && !isExpired(share) {
                writer.share(share)
            }
            writer.endArray()
            writer.endObject()
            return .respond(.read(writer.bytes))
        }
    }

    func deleteShare(_ request: Request) throws -> Job {
        _ = try tokenMaker(request)
        let (list, id) = (request.parameter("id"), request.parameter("share"))
        return .work(.tokens) { [self] in
            try changeTokens([id], request) { control in
                guard let share = control.issuedToken(id), share.link == list, !isExpired(share)
                else {
                    throw Problem(.shareNotFound, "The list has no link with this id.")
                }
                return TokenChange(removed: [id])
            }
            return .respond(Response(status: 204))
        }
    }

    /// Responds to the deletion of a list when this server no longer accepts its links.
    func endLinks(
        to list: String, after outcome: Result<WriteOutcome, ServiceError>,
        _ rendering: WriteRendering
    ) throws -> Job {
        let response = try rendering.response(to: outcome)
        guard access != nil else { return .respond(response) }
        return .wait { [service] proceed in
            service.endLinks(to: list) { proceed { .respond(response) } }
        }
    }
}

extension Problem {
    fileprivate static var shareTooLong: Problem {
        Problem(
            .invalidBody, "/expiresAt: A link is valid for at most 366 days.",
            pointer: "/expiresAt")
    }

    fileprivate static func tooManyShares(_ limit: Int) -> Problem {
        Problem(
            .shareLimit,
            "A list can have \(ReorderAPI.sharesPerList) links that have not expired, a client can have "
                + "made \(ReorderAPI.sharesPerMaker), and the server can have \(limit).")
    }
}

extension JSONWriter {
    /// - Parameter secret: the token, for the response that shows it.
    fileprivate mutating func share(_ share: IssuedToken, secret: String? = nil) {
        beginObject()
        name("id")
        string(share.id)
        name("name")
        string(share.name)
        name("scope")
        string((share.grants.first?.scope ?? .none).name)
        name("history")
        string(share.historyAfter == nil ? "all" : "new")
        origin(of: share)
        if let secret {
            name("token")
            string(secret)
            name("path")
            // In the fragment, which browsers do not send, so it gets into no log.
            string("/#\(share.link ?? "")/\(secret)")
        }
        endObject()
    }
}
