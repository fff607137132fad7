import Foundation
import Synchronization

/// From credentials to what they are granted, by rules that can be replaced while it is used.
package final class AccessControl: Sendable {
    private struct Rules {
        var tokens: TokenTable
        var signed: SignedTokens?
    }

    private let rules: Mutex<Rules>
    private let listeners = Mutex<[@Sendable () -> Void]>([])
    private let checks: TokenChecks
    private let clock: @Sendable () -> Date

    /// - Parameters:
    ///   - keys: by which signed tokens are known; `nil`: none are.
    ///   - checks: which of those count.
    ///   - clock: what time it is.
    package init(
        tokens: TokenTable = .empty, keys: JSONWebKeys? = nil, checks: TokenChecks = TokenChecks(),
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        rules = Mutex(Rules(tokens: tokens, signed: keys.map { SignedTokens($0, checks) }))
        self.checks = checks
        self.clock = clock
    }

    /// What whoever sends these values of an `Authorization` field is granted.
    ///
    /// Never waits. Complexity: one SHA-256, O(number of tokens), and one signature where a signed
    /// token comes for the first time.
    package func grant(for authorization: [String]) -> Result<Grant, Denial> {
        BearerToken.token(in: authorization).flatMap { token in
            let digest = TokenDigest(of: token)
            let rules = rules.withLock { $0 }
            if let grant = rules.tokens.grant(for: digest) { return .success(grant) }
            guard let signed = rules.signed else { return .failure(.unknown) }
            return signed.grant(for: token, digest: digest, at: clock())
        }
    }

    /// Whether something holds still that was granted before.
    package func isInForce(_ grant: Grant) -> Bool { grant.isInForce(at: clock()) }

    /// Has another table of tokens count from now on. Those that it does not have are over.
    package func use(_ tokens: TokenTable) {
        rules.withLock { $0.tokens = tokens.replacing($0.tokens) }
        changed()
    }

    /// Has other keys count from now on. What was signed by those that are gone is over.
    package func use(_ keys: JSONWebKeys) {
        rules.withLock { rules in
            rules.signed = rules.signed?.replacing(keys) ?? SignedTokens(keys, checks)
        }
        changed()
    }

    /// Calls `body` each time after rules were replaced.
    package func onChange(_ body: @escaping @Sendable () -> Void) {
        listeners.withLock { $0.append(body) }
    }

    /// How many signed tokens are known without looking at their signatures.
    var rememberedTokenCount: Int? { rules.withLock { $0 }.signed?.rememberedTokenCount }

    private func changed() {
        for listener in listeners.withLock({ $0 }) { listener() }
    }
}
