import Foundation
import Synchronization

/// Authenticates credentials and returns their access. The rules can be replaced at any time.
package final class AccessControl: Sendable {
    private struct Rules {
        var tokens: TokenTable
        var signed: SignedTokens?
        var tickets: EventTickets

        /// Call this after each replacement of the tokens or the keys.
        mutating func updateTickets() { tickets.use(tokens, signed?.keys) }
    }

    private let rules: Mutex<Rules>
    /// The tokens that were made over HTTP.
    private let issued: IssuedTokens
    /// Held while the rules are replaced. Requests do not wait for that: it takes long if there are many
    /// tokens.
    private let replacement = Mutex(())
    private let listeners = Mutex<[@Sendable () -> Void]>([])
    private let checks: TokenChecks
    private let clock: @Sendable () -> Date

    /// - Parameters:
    ///   - keys: the keys that verify signed tokens. If nil, signed tokens are rejected.
    ///   - checks: further conditions for signed tokens.
    ///   - clock: returns the current time.
    package init(
        tokens: TokenTable = .empty, keys: JSONWebKeys? = nil, checks: TokenChecks = TokenChecks(),
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        let secret = (0..<EventTickets.secretBytes).map { _ in UInt8.random(in: .min ... .max) }
        var rules = Rules(
            tokens: tokens, signed: keys.map { SignedTokens($0, checks) },
            tickets: EventTickets(secret: secret))
        rules.updateTickets()
        issued = IssuedTokens(rules.tickets.names)
        self.rules = Mutex(rules)
        self.checks = checks
        self.clock = clock
    }

    /// The access of a request with these values of the `Authorization` field.
    ///
    /// - Parameter acceptsPasswords: whether a token can also be the password of the scheme Basic.
    ///
    /// It never blocks. Complexity: one SHA-256, O(number of tokens in the file), and one signature
    /// verification for a signed token that is not cached.
    package func access(
        for authorization: [String], acceptsPasswords: Bool = false
    ) -> Result<TokenAccess, Denial> {
        BearerToken.token(in: authorization, orPassword: acceptsPasswords).flatMap { token in
            let digest = TokenDigest(of: token)
            let rules = rules.withLock { $0 }
            if let access = rules.tokens.access(for: digest) { return .success(access) }
            if let access = issued.access(for: digest) {
                return access.isInForce(at: clock()) ? .success(access) : .failure(.expired)
            }
            guard let signed = rules.signed else { return .failure(.unknown) }
            return signed.access(for: token, digest: digest, at: clock())
        }
    }

    /// Whether access that was given earlier is still valid.
    package func isInForce(_ access: TokenAccess) -> Bool { access.isInForce(at: clock()) }

    /// The seconds until access expires; nil if it does not.
    package func secondsLeft(of access: TokenAccess) -> Double? {
        access.expires?.timeIntervalSince(clock())
    }

    /// Replaces the table of tokens. The access of tokens that the new table lacks is revoked.
    package func use(_ tokens: TokenTable) {
        replaceRules { $0.tokens = tokens.replacing($0.tokens) }
    }

    // MARK: Tokens that were made over HTTP

    /// Replaces all of them. The access of removed tokens is revoked.
    ///
    /// - Parameter stored: their ids, and their content as in `IssuedToken.bytes`.
    package func use(issued stored: [(id: String, bytes: [UInt8])]) {
        if issued.replace(with: stored) { changed() }
    }

    /// Adds some and removes others, whose access is revoked. The cost does not depend on the number of all tokens.
    package func change(issued stored: [(id: String, bytes: [UInt8])], removed: [String]) {
        if issued.change(stored, removed: removed) { changed() }
    }

    /// The token with an id; nil if there is none. It may have expired.
    package func issuedToken(_ id: String) -> IssuedToken? { issued.token(id) }

    /// The numbers of the tokens that have not expired, and of those that are links to a list or were made by a client.
    package func issuedCounts(
        list: String?, maker: String?, at milliseconds: Int64
    ) -> IssuedTokenCounts {
        issued.counts(list: list, maker: maker, at: milliseconds)
    }

    /// The ids of some tokens that `issuedCounts` has found to be expired and that are still stored, each of them once.
    package func takeExpiredTokens(limit: Int) -> [String] { issued.takeExpired(limit: limit) }

    // MARK: Rules

    /// Replaces the keys. The access of tokens signed by removed keys is revoked.
    package func use(_ keys: JSONWebKeys) {
        replaceRules { $0.signed = $0.signed?.replacing(keys) ?? SignedTokens(keys, checks) }
    }

    private func replaceRules(_ change: (inout Rules) -> Void) {
        replacement.withLock { _ in
            var new = rules.withLock(\.self)
            change(&new)
            new.updateTickets()
            rules.withLock { $0 = new }
        }
        changed()
    }

    // MARK: Tickets for event streams

    package static let ticketSecretBytes = EventTickets.secretBytes
    /// How long a ticket is valid.
    package static let ticketSeconds = 60

    /// A ticket with the rights of a token; nil for access without a token or key.
    package func ticket(for access: TokenAccess) -> String? {
        let until = clock() + Double(Self.ticketSeconds)
        return rules.withLock { $0 }.tickets.ticket(for: access, until: until)
    }

    /// The access of a ticket, for event streams only.
    package func access(forTicket ticket: String) -> Result<TokenAccess, Denial> {
        rules.withLock { $0 }.tickets.access(for: ticket, at: clock(), issued: issued)
            .map { .success($0) }
            ?? .failure(.unknownTicket)
    }

    /// Makes this server accept the tickets of all servers with the same secret.
    package func useTicketSecret(_ secret: [UInt8]) {
        let tickets = EventTickets(secret: secret)
        replaceRules { $0.tickets = tickets }
        issued.use(tickets.names)
    }

    /// Calls `body` after each replacement of the rules.
    package func onChange(_ body: @escaping @Sendable () -> Void) {
        listeners.withLock { $0.append(body) }
    }

    /// The number of cached signed tokens.
    var rememberedTokenCount: Int? { rules.withLock { $0 }.signed?.rememberedTokenCount }

    private func changed() {
        for listener in listeners.withLock({ $0 }) { listener() }
    }
}
