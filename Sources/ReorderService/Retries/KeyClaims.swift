import ReorderStore
import Synchronization

/// The idempotency keys of requests that are being handled. What is known of a key is read from the store
/// first and decided on a list later: a request that claims it keeps others from doing the same in between.
final class KeyClaims: Sendable {
    private struct State {
        var held: Set<AnswerKey> = []
        /// First come, first served, as far as their keys are free.
        var waiting: [KeyClaim] = []

        /// All of them, or none.
        mutating func take(_ keys: [AnswerKey]) -> Bool {
            guard !keys.contains(where: held.contains) else { return false }
            held.formUnion(keys)
            return true
        }
    }

    private let state = Mutex(State())

    /// Claims keys for a request, which waits for them if another request has one.
    ///
    /// A request that waits holds none of them, so two never wait for each other.
    func claim(_ keys: [AnswerKey], for context: RequestContext) -> KeyClaim {
        let claim = KeyClaim(keys, of: self, for: context)
        let isFree = state.withLock { state in
            if state.take(keys) { return true }
            state.waiting.append(claim)
            return false
        }
        if isFree { claim.granted.fill(.success(())) }
        return claim
    }

    /// Claims a key that no other request has; nil if one has it.
    func claimNow(_ key: AnswerKey, for context: RequestContext) -> KeyClaim? {
        state.withLock { $0.take([key]) } ? KeyClaim([key], of: self, for: context) : nil
    }

    fileprivate func release(_ claim: KeyClaim) {
        let next = state.withLock { state in
            if let index = state.waiting.firstIndex(where: { $0 === claim }) {
                state.waiting.remove(at: index)
                return [KeyClaim]()
            }
            state.held.subtract(claim.keys)
            var next: [KeyClaim] = []
            if !state.waiting.isEmpty {
                state.waiting.removeAll { waiting in
                    guard state.held.isDisjoint(with: waiting.keys) else { return false }
                    state.held.formUnion(waiting.keys)
                    next.append(waiting)
                    return true
                }
            }
            return next
        }
        for claim in next { claim.granted.fill(.success(())) }
    }
}

/// The keys that a request has, or waits for.
final class KeyClaim: Sendable {
    let keys: [AnswerKey]
    /// Filled once the request has them.
    let granted: Reply<Void>
    private let claims: KeyClaims

    fileprivate init(_ keys: [AnswerKey], of claims: KeyClaims, for context: RequestContext) {
        self.keys = keys
        self.claims = claims
        granted = Reply(for: context.host)
    }

    /// Once.
    func release() { claims.release(self) }
}
