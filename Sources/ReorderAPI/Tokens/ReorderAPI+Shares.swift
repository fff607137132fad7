import MicroHTTP
import ReorderAuth
import ReorderJSON
import ReorderService
import ReorderStore

/// Links to a list: tokens for this list, which people who may change it give to others.
extension ReorderAPI {
    /// The maximum number of links to a list.
    static let sharesPerList = 100
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
        let now = service.environment.date().milliseconds
        let expiresAt = body.expiresAt ?? now + Self.standardShareTime
        guard expiresAt > now else { throw Problem.expiryInPast }
        guard expiresAt <= now + Self.maximumShareTime else { throw Problem.shareTooLong }
        let secret = NewToken()
        let share = IssuedToken(
            id: makeID(), name: body.name, digest: secret.digest,
            grants: [GrantForm(body.scope, [list])], createdAt: now, createdBy: maker.author,
            expiresAt: expiresAt, link: list)
        return .work(.small) { [self] in
            try addToken(share, request) { others in
                let links = others.filter { $0.link != nil }
                guard links.count(where: { $0.link == list }) < Self.sharesPerList,
                    links.count < tokenLimit
                else { throw Problem.tooManyShares(tokenLimit) }
            }
            // After the link is stored, because a deletion of the list at the same time may not see it.
            return .wait(
                for: { [service] in service.versionedListIfAny(of: list, $0) }
            ) { [self] in
                if $0 != nil { return .respond(try shared(share, secret.text)) }
                return .work(.small) { [self] in
                    try service.changeTokens { _ in TokenChange(removed: [share.id]) }
                    throw ServiceError.listNotFound(list)
                }
            }
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
            _ = try service.currentTokens()
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("list")
            writer.string(list)
            writer.name("shares")
            writer.beginArray()
            for share in issuedTokens where share.link == list { writer.share(share) }
            writer.endArray()
            writer.endObject()
            return .respond(.read(writer.bytes))
        }
    }

    func deleteShare(_ request: Request) throws -> Job {
        _ = try tokenMaker(request)
        let (list, id) = (request.parameter("id"), request.parameter("share"))
        return .work(.small) { [self] in
            try service.changeTokens { _ in
                try access?.recheck(request)
                guard issuedTokens.contains(where: { $0.id == id && $0.link == list }) else {
                    throw Problem(.shareNotFound, "The list has no link with this id.")
                }
                return TokenChange(removed: [id])
            }
            return .respond(Response(status: 204))
        }
    }

    // MARK: Deleted lists

    /// Removes the links to a list that was deleted: another list can get its id.
    func endLinks(
        to list: String, after outcome: Result<WriteOutcome, ServiceError>,
        _ rendering: WriteRendering
    ) throws -> Job {
        let response = try rendering.response(to: outcome)
        guard case .success(.replayed) = outcome else { return endLinks(to: list, response) }
        // Since the deletion, another list may have got the id, and links of its own.
        return .wait { [service] proceed in
            service.versionedListIfAny(of: list) { found in
                proceed {
                    if case .success(nil) = found { return self.endLinks(to: list, response) }
                    return .respond(response)
                }
            }
        }
    }

    /// The list is deleted, whether this succeeds or not: if it fails, the next start ends the links.
    private func endLinks(to list: String, _ response: Response) -> Job {
        .wait { [self] proceed in
            let isTaken = service.workers.run(.small) { [self] in
                try? removeLinks(to: list)
                proceed { .respond(response) }
            }
            if !isTaken { proceed { .respond(response) } }
        }
    }

    /// Removes the links to lists that were deleted when a server was killed. Blocks until the store
    /// responds.
    func removeLinksOfDeletedLists() throws {
        let tokens = access?.control.issuedTokens ?? []
        let lists = Array(Set(tokens.compactMap(\.link)))
        var gone = Set(lists)
        for start in stride(from: 0, to: lists.count, by: ListPatterns.maximumCount) {
            let part = Array(lists[start...].prefix(ListPatterns.maximumCount))
            let ranges = ListPatterns(part)?.ranges(after: nil)
            let found = try service.index(of: ranges, after: nil, limit: part.count)
            gone.subtract(found.lists.map(\.id))
        }
        // Only these: another server may have made such a list again, and links to it.
        let links = tokens.filter { $0.link.map(gone.contains) ?? false }.map(\.id)
        if !links.isEmpty { try service.changeTokens { _ in TokenChange(removed: links) } }
    }

    private func removeLinks(to list: String) throws {
        func links(in tokens: [IssuedToken]) -> [String] {
            tokens.filter { $0.link == list }.map(\.id)
        }
        guard let control = access?.control else {
            return try service.removeUnusedTokens { stored in
                links(in: stored.compactMap { IssuedToken(bytes: $0.bytes) })
            }
        }
        try service.changeTokens { _ in TokenChange(removed: links(in: control.issuedTokens)) }
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
            "A list can have \(ReorderAPI.sharesPerList) links that have not expired, and the server "
                + "\(limit).")
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
