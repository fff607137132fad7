import ReorderStore

/// How long stored responses are kept.
package struct ResponseRetention: Sendable {
    /// For requests with an `Idempotency-Key`.
    package var requestSeconds: Int
    /// For ops with an id. Longer, because clients can be offline for a long time.
    package var operationSeconds: Int

    package static let standard = ResponseRetention(
        requestSeconds: 24 * 60 * 60, operationSeconds: 30 * 24 * 60 * 60)

    package init(requestSeconds: Int, operationSeconds: Int) {
        self.requestSeconds = requestSeconds
        self.operationSeconds = operationSeconds
    }

    /// - Parameter time: in milliseconds since 1970, like the result.
    func expiry(of scope: StoredResponseKey.Scope, at time: Int64) -> Int64 {
        let seconds = scope == .operation ? operationSeconds : requestSeconds
        return time + Int64(seconds) * 1_000
    }
}
