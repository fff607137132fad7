import Foundation
import Synchronization

/// Authenticates credentials and returns their grants. The rules can be replaced at any time.
package final class AccessControl: Sendable {
    private struct Rules {
        var tokens: TokenTable
        var signed: SignedTokens?
        var tickets: EventTickets

        /// Call this after each replacement of the tokens or the keys.
        mutating func updateTickets() { tickets.use(tokens, signed?.keys) }
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

    /// The grant for a request with these values of the `Authorization` field.
    ///
    /// It never blocks. Complexity: one SHA-256, O(number of tokens), and one signature
    /// verification for a signed token that is not cached.
    package func grant(for authorization: [String]) -> Result<Grant, Denial> {
        BearerToken.token(in: authorization).flatMap { token in
            let digest = TokenDigest(of: token)
            let rules = rules.withLock { $0 }
            if let grant = rules.tokens.grant(for: digest) { return .success(grant) }
            guard let signed = rules.signed else { return .failure(.unknown) }
            return signed.grant(for: token, digest: digest, at: clock())
        }
    }

    /// Whether an earlier grant is still valid.
    package func isInForce(_ grant: Grant) -> Bool { grant.isInForce(at: clock()) }

    /// Replaces the table of tokens. Grants of tokens that the new table lacks are revoked.
    package func use(_ tokens: TokenTable) {
        rules.withLock { rules in
            rules.tokens = tokens.replacing(rules.tokens)
            rules.updateTickets()
        }
        changed()
    }

    /// Replaces the keys. Grants of tokens signed by removed keys are revoked.
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

    /// A ticket with the rights of a grant; nil if the grant is not of a token or key.
    package func ticket(for grant: Grant) -> String? {
        let until = clock() + Double(Self.ticketSeconds)
        return rules.withLock { $0 }.tickets.ticket(for: grant, until: until)
    }

    /// The grant of a ticket, for event streams only.
    package func grant(forTicket ticket: String) -> Result<Grant, Denial> {
        rules.withLock { $0 }.tickets.grant(for: ticket, at: clock()).map { .success($0) }
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
