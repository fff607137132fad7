/// What tells the requests apart whose answers are kept.
///
/// To a store it is three values to compare, and `owner` what a distributed store keeps together.
package struct AnswerKey: Hashable, Sendable {
    /// Of what `owner` is the name.
    package enum Scope: Int, Sendable, CaseIterable {
        /// A list, of which something was asked.
        case list = 1
        /// A task, of which something was asked: its list may be another the next time.
        case task = 2
        /// A list that had no id yet when it was asked for; `owner` is the key once more.
        case newList = 3
        /// A list, of which an op of a batch asked something.
        case operation = 4
    }

    package var scope: Scope
    /// The id of the list or task.
    package var owner: String
    /// What the client gave its request, or its op, to know it by. ASCII.
    package var key: String

    package init(_ scope: Scope, of owner: String, _ key: String) {
        self.scope = scope
        self.owner = owner
        self.key = key
    }
}

/// What a client was told, kept so that it is told the same once more, and nothing is done twice.
package struct StoredAnswer: Sendable, Equatable {
    package var key: AnswerKey
    /// When it was decided, in milliseconds since 1970.
    package var at: Int64
    /// From when on it no longer counts, in milliseconds since 1970; after `at`.
    package var expires: Int64
    package var bytes: [UInt8]

    package init(key: AnswerKey, at: Int64, expires: Int64, bytes: [UInt8]) {
        self.key = key
        self.at = at
        self.expires = expires
        self.bytes = bytes
    }
}
