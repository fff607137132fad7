import Foundation
import MicroHTTP
import ReorderAuth
import ReorderJSON
import ReorderService
import ReorderStore

/// Tokens that are made over HTTP. They are in the store, so all its servers accept them.
extension ReorderAPI {
    /// Accepts the tokens that are in the store, now and in the future. Blocks until the store responds.
    package func followTokens() throws(StoreError) {
        guard let control = access?.control else { return }
        try service.followTokens { news in
            switch news {
            case .all(let all): control.use(issued: all.map { ($0.id, $0.bytes) })
            case .some(let some, let removed):
                control.change(issued: some.map { ($0.id, $0.bytes) }, removed: removed)
            }
        }
    }

    func postToken(_ request: Request) throws -> Job {
        let body = try request.read { reader throws(JSONTypeError) in
            try TokenBody(from: &reader)
        }
        let maker = try tokenMaker(request)
        let grants = try Grants(forms: body.grants)
        guard maker.grants.include(all: grants) else { throw Problem.grantsTooLarge }
        let now = service.now
        if let expiresAt = body.expiresAt, expiresAt <= now { throw Problem.expiryInPast }
        let secret = NewToken()
        let token = IssuedToken(
            id: makeID(), name: body.name, digest: secret.digest, grants: body.grants,
            createdAt: now, createdBy: maker.author, expiresAt: body.expiresAt)
        return .work(.tokens) { [self] in
            try addToken(token, request) { others in
                guard others.tokens < tokenLimit else {
                    throw Problem(
                        .tokenLimit, "The server already has the maximum of \(tokenLimit) tokens.")
                }
            }
            var writer = JSONWriter()
            writer.token(token, secret: secret.text)
            return .respond(
                .json(
                    status: 201,
                    headers: ["Cache-Control": "no-store", "Location": "/tokens/\(token.id)"],
                    writer.bytes))
        }
    }

    func getTokens(_ request: Request) throws -> Job {
        let client = try tokenMaker(request)
        let limit = try request.number(
            "limit", in: 1...Self.maximumIndexPage, default: Self.defaultIndexPage)
        let cursor = try request.listCursor()
        return .work(.small) { [self] in
            let page = try visibleTokens(to: client, after: cursor, limit: limit)
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("tokens")
            writer.beginArray()
            for token in page.tokens { writer.token(token) }
            writer.endArray()
            writer.name("cursor")
            writer.stringOrNull(page.cursor)
            writer.endObject()
            return .respond(.read(writer.bytes))
        }
    }

    /// The first tokens after an id that the client could have made and that have not expired.
    ///
    /// - Returns: also the id after which the next page begins; nil after the last page.
    private func visibleTokens(
        to client: TokenAccess, after id: String?, limit: Int
    ) throws -> (tokens: [IssuedToken], cursor: String?) {
        var (found, last, examinedCount) = ([IssuedToken](), id, 0)
        while examinedCount < Self.maximumIndexPage {
            // After tokens that the client may not see, not too many small reads.
            let count = max(limit - found.count + 1, examinedCount == 0 ? 1 : 100)
            let page = try service.tokens(.page(after: last, limit: count))
            for stored in page {
                last = stored.id
                guard let token = IssuedToken(bytes: stored.bytes), isVisible(token, to: client)
                else { continue }
                guard found.count < limit else { return (found, found.last?.id) }
                found.append(token)
            }
            guard page.count == count else { return (found, nil) }
            examinedCount += count
        }
        return (found, last)
    }

    func deleteToken(_ request: Request) throws -> Job {
        let client = try tokenMaker(request)
        let id = request.parameter("id")
        return .work(.tokens) { [self] in
            try changeTokens([id], request) { control in
                guard let token = control.issuedToken(id), isVisible(token, to: client) else {
                    throw Problem(.tokenNotFound, "There is no token with this id.")
                }
                return TokenChange(removed: [id])
            }
            return .respond(Response(status: 204))
        }
    }

    /// Stores a token, and removes those that have expired. Blocks until the store responds.
    ///
    /// - Parameter check: whether the token can be added to the others; its errors are rethrown.
    func addToken(
        _ token: IssuedToken, _ request: Request, _ check: (IssuedTokenCounts) throws -> Void
    ) throws {
        try changeTokens([], request) { control in
            try check(
                control.issuedCounts(
                    list: token.link, maker: token.createdBy, at: service.expiryTime))
            return TokenChange(
                removed: control.takeExpiredTokens(limit: Self.expiredTokensAtOnce),
                added: StoredToken(id: token.id, bytes: token.bytes, list: token.link))
        }
    }

    /// The maximum number of expired tokens that a request removes.
    private static let expiredTokensAtOnce = 100

    /// Changes the tokens, after a decision about those with these ids, if the client's own access is still in force.
    /// Blocks until the store responds.
    func changeTokens(
        _ ids: [String], _ request: Request, _ decide: (AccessControl) throws -> TokenChange
    ) throws {
        guard let access else { throw Problem.noAccessControl }
        let own = request.tokenAccess?.issuedID.map { [$0] } ?? []
        try service.changeTokens(after: Array(Set(ids + own))) {
            try access.recheck(request)
            return try decide(access.control)
        }
    }

    func isExpired(_ token: IssuedToken) -> Bool {
        token.isExpired(at: service.now)
    }

    /// Whether the client could have made the token, which has not expired.
    private func isVisible(_ token: IssuedToken, to client: TokenAccess) -> Bool {
        guard !isExpired(token), let grants = try? Grants(forms: token.grants) else { return false }
        return client.grants.include(all: grants)
    }

    func tokenMaker(_ request: Request) throws(Problem) -> TokenAccess {
        guard let token = request.tokenAccess else { throw .noAccessControl }
        return token
    }
}

extension Problem {
    fileprivate static var noAccessControl: Problem {
        Problem(
            .noAccessControl,
            "The server accepts every client without a token, so a token would have no effect. Start "
                + "it with --tokens or --jwks.")
    }

    fileprivate static var grantsTooLarge: Problem {
        Problem(.forbidden, "The grants exceed those of the request's own token.")
    }

    static var expiryInPast: Problem {
        Problem(.invalidBody, "/expiresAt: The time has passed.", pointer: "/expiresAt")
    }
}

extension JSONWriter {
    /// - Parameter secret: the token itself, for the response that shows it.
    fileprivate mutating func token(_ token: IssuedToken, secret: String? = nil) {
        beginObject()
        name("id")
        string(token.id)
        name("name")
        string(token.name)
        name("grants")
        beginArray()
        for form in token.grants { grant(form.scope, form.patterns) }
        endArray()
        name("link")
        stringOrNull(token.link)
        origin(of: token)
        if let secret {
            name("token")
            string(secret)
        }
        endObject()
    }

    mutating func origin(of token: IssuedToken) {
        name("createdAt")
        time(milliseconds: token.createdAt)
        name("createdBy")
        stringOrNull(token.createdBy)
        name("expiresAt")
        if let expiresAt = token.expiresAt { time(milliseconds: expiresAt) } else { null() }
    }
}
