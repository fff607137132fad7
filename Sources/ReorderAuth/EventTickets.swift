import Foundation
import ReorderCrypto

/// Makes and checks tickets: short-lived credentials that only open event streams.
///
/// A browser's `EventSource` can't send header fields, so its credentials are in the URL, which
/// servers and proxies may log. A ticket is readable but authenticated: its content in base64, a
/// dot, and an HMAC of the content. The server stores no tickets. It checks that the token or key
/// behind the ticket is still in use, and all servers with the same secret accept the ticket.
struct EventTickets: Sendable {
    private let secret: [UInt8]
    let names: TicketNames
    private var sources: [String: Source] = [:]

    /// The credentials behind a ticket.
    private enum Source {
        case token(TokenAccess)
        case key(TokenAccess.Source)
    }

    static let secretBytes = 32

    private struct Content: Codable {
        /// When the ticket expires, in seconds since 1970.
        var until: Double
        /// Identifies the token or the key, without revealing its digest.
        var source: String
        // Only for signed tokens, whose claims are nowhere else
        var kind: String?
        var name: String?
        /// Patterns of the lists that the token may read; nil means all lists.
        var lists: [String]?
        /// When the token expires.
        var expires: Double?
    }

    init(secret: [UInt8]) {
        self.secret = secret
        names = TicketNames(secret: secret)
    }

    /// Replaces the credentials that tickets can refer to, besides the tokens that were made over HTTP.
    mutating func use(_ table: TokenTable, _ keys: JSONWebKeys?) {
        sources = [:]
        for (digest, access) in table.all { sources[names.name(of: digest)] = .token(access) }
        for (fingerprint, source) in keys?.sources ?? [] {
            sources[names.name(of: fingerprint)] = .key(source)
        }
    }

    func ticket(for access: TokenAccess, until: Date) -> String? {
        guard let id = access.source.id else { return nil }
        var content = Content(until: until.timeIntervalSince1970, source: names.name(of: id))
        if case .key? = sources[content.source] {
            content.kind = access.kind
            content.name = access.name
            content.lists = access.grants.readableLists.patterns
            content.expires = access.expires?.timeIntervalSince1970
        }
        guard let json = try? JSONEncoder().encode(content) else { return nil }
        let text = Base64URL.encode(Array(json))
        return text + "." + Base64URL.encode(authenticationCode(of: text))
    }

    /// The access of a ticket, with the rights that its token has now.
    ///
    /// - Parameter issued: the tokens that were made over HTTP.
    func access(for ticket: String, at time: Date, issued: IssuedTokens) -> TokenAccess? {
        let parts = ticket.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard ticket.utf8.count <= BearerToken.maximumBytes * 2, parts.count == 2,
            let code = Base64URL.decode(parts[1]),
            isEqual(code, authenticationCode(of: String(Substring(parts[0])))),
            let json = Base64URL.decode(parts[0]),
            let content = try? JSONDecoder().decode(Content.self, from: Data(json)),
            time.timeIntervalSince1970 < content.until,
            let source = sources[content.source]
                ?? issued.access(forTicketName: content.source).map(Source.token)
        else { return nil }
        switch source {
        case .token(let access): return access.isInForce(at: time) ? access : nil
        case .key(let source):
            guard let kind = content.kind, let name = content.name,
                let lists = content.lists.map({ ListPatterns($0) }) ?? .all
            else { return nil }
            let access = TokenAccess(
                kind: kind, name: name, grants: Grants(.read, lists),
                expires: content.expires.map { Date(timeIntervalSince1970: $0) }, source: source)
            return access.isInForce(at: time) ? access : nil
        }
    }

    private func authenticationCode(of text: String) -> [UInt8] {
        SHA256.authenticationCode(of: Array("ticket \(text)".utf8), secret: secret)
    }

    /// The duration does not depend on the number of equal bytes.
    private func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The names of tokens and keys in tickets, which do not reveal their digests. A name takes several digests to compute.
struct TicketNames: Sendable {
    let secret: [UInt8]

    func name(of digest: TokenDigest) -> String {
        let code = SHA256.authenticationCode(
            of: Array("source \(digest.hexadecimal)".utf8), secret: secret)
        return Base64URL.encode(Array(code.prefix(16)))
    }
}
