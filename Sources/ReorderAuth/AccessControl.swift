import Foundation
import Synchronization

/// Authenticates credentials and returns their access. The rules can be replaced at any time.
package final class AccessControl: Sendable {
    private struct Rules {
        var tokens: TokenTable
        /// The tokens that were made over HTTP.
        var issued = TokenTable.empty
        var signed: SignedTokens?
        var tickets: EventTickets

        /// Call this after each replacement of the tokens or the keys.
        mutating func updateTickets() { tickets.use([tokens, issued], signed?.keys) }
    }

    private let rules: Mutex<Rules>
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
        self.rules = Mutex(rules)
        self.checks = checks
        self.clock = clock
    }

    /// The access of a request with these values of the `Authorization` field.
    ///
    /// It never blocks. Complexity: one SHA-256, O(number of tokens), and one signature
    /// verification for a signed token that is not cached.
    package func access(for authorization: [String]) -> Result<TokenAccess, Denial> {
        BearerToken.token(in: authorization).flatMap { token in
            let digest = TokenDigest(of: token)
            let rules = rules.withLock { $0 }
            if let access = rules.tokens.access(for: digest) { return .success(access) }
            if let access = rules.issued.access(for: digest) {
                return access.isInForce(at: clock()) ? .success(access) : .failure(.expired)
            }
            guard let signed = rules.signed else { return .failure(.unknown) }
            return signed.access(for: token, digest: digest, at: clock())
        }
    }

    /// Whether access that was given earlier is still valid.
    package func isInForce(_ access: TokenAccess) -> Bool { access.isInForce(at: clock()) }

    /// Replaces the table of tokens. The access of tokens that the new table lacks is revoked.
    package func use(_ tokens: TokenTable) {
        rules.withLock { rules in
            rules.tokens = tokens.replacing(rules.tokens)
            rules.updateTickets()
        }
        changed()
    }

    /// Replaces the tokens that were made over HTTP. The access of removed tokens is revoked.
    package func use(issued: [IssuedToken]) {
        let new = TokenTable(issued: issued)
        rules.withLock { rules in
            rules.issued = new.replacing(rules.issued)
            rules.updateTickets()
        }
        changed()
    }

    /// Replaces the keys. The access of tokens signed by removed keys is revoked.
    package func use(_ keys: JSONWebKeys) {
        rules.withLock { rules in
            rules.signed = rules.signed?.replacing(keys) ?? SignedTokens(keys, checks)
            rules.updateTickets()
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
        rules.withLock { $0 }.tickets.access(for: ticket, at: clock()).map { .success($0) }
            ?? .failure(.unknownTicket)
    }

    /// Makes this server accept the tickets of all servers with the same secret.
    package func useTicketSecret(_ secret: [UInt8]) {
        rules.withLock { rules in
            rules.tickets = EventTickets(secret: secret)
            rules.updateTickets()
        }
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
