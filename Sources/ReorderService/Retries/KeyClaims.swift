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
        var waiting: [(claim: KeyClaim, blocker: StoredResponseKey)] = []

        /// Takes all keys or none. Returns the first key that another request has, or nil.
        mutating func take(_ keys: [StoredResponseKey]) -> StoredResponseKey? {
            if let blocker = keys.first(where: held.contains) { return blocker }
            held.formUnion(keys)
            return nil
        }
    }

    private let state = Mutex(State())

    /// Claims keys for a request. If another request has one of them, the claim waits.
    ///
    /// A waiting claim holds no keys, so claims can't deadlock.
    func claim(_ keys: [StoredResponseKey], for context: RequestContext) -> KeyClaim {
        let claim = KeyClaim(keys, of: self, for: context)
        let isFree = state.withLock { state in
            guard let blocker = state.take(keys) else { return true }
            state.waiting.append((claim, blocker))
            return false
        }
        if isFree { claim.granted.fill(.success(())) }
        return claim
    }

    /// Claims a key without waiting; returns nil if another request has it.
    func claimNow(_ key: StoredResponseKey, for context: RequestContext) -> KeyClaim? {
        state.withLock { $0.take([key]) } == nil ? KeyClaim([key], of: self, for: context) : nil
    }

    /// The number of keys that requests have, and the number of requests that wait for keys.
    var counts: (held: Int, waiting: Int) {
        state.withLock { ($0.held.count, $0.waiting.count) }
    }

    fileprivate func release(_ claim: KeyClaim) {
        let next = state.withLock { state in
            if let index = state.waiting.firstIndex(where: { $0.claim === claim }) {
                state.waiting.remove(at: index)
                return [KeyClaim]()
            }
            state.held.subtract(claim.keys)
            let waiting = state.waiting
            state.waiting = []
            var next: [KeyClaim] = []
            for (claim, blocker) in waiting {
                // A claim can have 1,000 keys, so only one of them is looked up while it blocks.
                if state.held.contains(blocker) {
                    state.waiting.append((claim, blocker))
                } else if let blocker = state.take(claim.keys) {
                    state.waiting.append((claim, blocker))
                } else {
                    next.append(claim)
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
