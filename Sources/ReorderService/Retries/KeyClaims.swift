import ReorderStore
import Synchronization

/// The idempotency keys of requests in progress. A request claims its key before it looks for the
/// stored response, and releases it after its own response is committed. Meanwhile no other request
/// with the key is decided.
final class KeyClaims: Sendable {
    private struct State {
        var held: Set<StoredResponseKey> = []
        /// In order of arrival. A claim whose keys are free can overtake an earlier claim whose
        /// keys are not.
        var waiting: [KeyClaim] = []

        /// Takes all keys or none.
        mutating func take(_ keys: [StoredResponseKey]) -> Bool {
            guard !keys.contains(where: held.contains) else { return false }
            held.formUnion(keys)
            return true
        }
    }

    private let state = Mutex(State())

    /// Claims keys for a request. If another request has one of them, the claim waits.
    ///
    /// A waiting claim holds no keys, so claims can't deadlock.
    func claim(_ keys: [StoredResponseKey], for context: RequestContext) -> KeyClaim {
        let claim = KeyClaim(keys, of: self, for: context)
        let isFree = state.withLock { state in
            if state.take(keys) { return true }
            state.waiting.append(claim)
            return false
        }
        if isFree { claim.granted.fill(.success(())) }
        return claim
    }

    /// Claims a key without waiting; returns nil if another request has it.
    func claimNow(_ key: StoredResponseKey, for context: RequestContext) -> KeyClaim? {
        state.withLock { $0.take([key]) } ? KeyClaim([key], of: self, for: context) : nil
    }

    /// The number of keys that requests have, and the number of requests that wait for keys.
    var counts: (held: Int, waiting: Int) {
        state.withLock { ($0.held.count, $0.waiting.count) }
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

/// The keys that a request has or waits for.
final class KeyClaim: Sendable {
    let keys: [StoredResponseKey]
    /// Filled when the request has the keys.
    let granted: Reply<Void>
    private let claims: KeyClaims

    fileprivate init(_ keys: [StoredResponseKey], of claims: KeyClaims, for context: RequestContext)
    {
        self.keys = keys
        self.claims = claims
        granted = Reply(for: context.host)
    }

    /// Releases the keys. Call it once.
    func release() { claims.release(self) }
}
