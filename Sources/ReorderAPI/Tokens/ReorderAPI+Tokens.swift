import Foundation
import MicroHTTP
import ReorderAuth
import ReorderJSON
import ReorderService
import ReorderStore

/// Tokens that are made over HTTP. They are in the store, so all its servers accept them.
extension ReorderAPI {
    /// Accepts the tokens that are in the store, now and in the future. Blocks until the store responds.
    package func followTokens() throws {
        guard let control = access?.control else { return }
        try service.followTokens { stored in
            control.use(issued: stored.map { ($0.id, $0.bytes) })
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
        return .work(.small) { [self] in
            try addToken(token, request) { others in
                guard others.count(where: { $0.link == nil }) < tokenLimit else {
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
            _ = try service.currentTokens()
            var rest = visibleTokens(to: client)[...]
            if let cursor { rest = rest.drop { $0.id <= cursor } }
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("tokens")
            writer.beginArray()
            for token in rest.prefix(limit) { writer.token(token) }
            writer.endArray()
            writer.name("cursor")
            writer.stringOrNull(rest.count > limit ? rest.prefix(limit).last?.id : nil)
            writer.endObject()
            return .respond(.read(writer.bytes))
        }
    }

    func deleteToken(_ request: Request) throws -> Job {
        let client = try tokenMaker(request)
        let id = request.parameter("id")
        return .work(.small) { [self] in
            try service.changeTokens { _ in
                try access?.recheck(request)
                guard visibleTokens(to: client).contains(where: { $0.id == id }) else {
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
        _ token: IssuedToken, _ request: Request, _ check: ([IssuedToken]) throws -> Void
    ) throws {
        try service.changeTokens { _ in
            try access?.recheck(request)
            var others = access?.control.issuedTokens ?? []
            let now = service.expiryTime
            let last = others.partition { $0.isExpired(at: now) }
            try check(Array(others[..<last]))
            return TokenChange(
                removed: others[last...].map(\.id),
                added: StoredToken(id: token.id, bytes: token.bytes, list: token.link))
        }
    }

    /// The tokens that have not expired, as they were read last.
    var issuedTokens: [IssuedToken] {
        let now = service.now
        return access?.control.issuedTokens.filter { !$0.isExpired(at: now) } ?? []
    }

    /// The tokens that the client could have made.
    private func visibleTokens(to client: TokenAccess) -> [IssuedToken] {
        issuedTokens.filter { token in
            (try? Grants(forms: token.grants)).map(client.grants.include(all:)) ?? false
        }
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
