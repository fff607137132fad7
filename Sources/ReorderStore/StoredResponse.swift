/// The key of a stored response. It identifies the request that the response is for.
///
/// A store only compares the three values; a distributed store partitions by `owner`.
package struct StoredResponseKey: Hashable, Sendable {
    /// What `owner` identifies.
    package enum Scope: Int, Sendable, CaseIterable {
        /// A list, for a request about it.
        case list = 1
        /// A task, for a request about it. When the request is repeated, the task may be in another
        /// list.
        case task = 2
        /// A list that the request creates without an id; `owner` equals `key`. Or a drag.
        case newList = 3
        /// A list, for an operation of a batch about it.
        case operation = 4
    }

    package var scope: Scope
    /// The id of the list, the task or the drag (see `Scope`).
    package var owner: String
    /// The idempotency key of the request or operation, chosen by the client. ASCII.
    package var key: String

    package init(_ scope: Scope, of owner: String, _ key: String) {
        self.scope = scope
        self.owner = owner
        self.key = key
    }
}

/// The response to a request. It is stored, so that a repeated request gets the same response and
/// has no further effect.
package struct StoredResponse: Sendable, Equatable {
    package var key: StoredResponseKey
    /// The time of the decision, in milliseconds since 1970.
    package var at: Int64
    /// The time of expiry, in milliseconds since 1970; later than `at`.
    package var expires: Int64
    package var bytes: [UInt8]

    package init(key: StoredResponseKey, at: Int64, expires: Int64, bytes: [UInt8]) {
        self.key = key
        self.at = at
        self.expires = expires
        self.bytes = bytes
    }
}
