import Foundation
import Synchronization

/// The access of a client with a valid token.
package final class TokenAccess: Sendable {
    /// The client's name, for people. It is neither unique nor secret.
    package let name: String
    /// The client as the author of its changes: its complete name, or `identity` if the name is
    /// longer than this limit; nil if its credentials have no name.
    package let author: String?
    package static let maximumAuthorBytes = 255
    package let grants: Grants
    /// It differs between clients, and is not derived from a secret.
    package let identity: String
    /// The time at which the access expires; nil if it does not expire.
    package let expires: Date?
    /// The list of a link, which allows less than a token with the same grants; nil for other
    /// credentials.
    package let link: String?
    /// The id of a token that was made over HTTP; nil for other credentials.
    package let issuedID: String?
    /// The author of the request that made the token over HTTP; nil if unknown, and for other
    /// credentials.
    package let createdBy: String?
    /// The version after which a link shows its list's changes; 0 for all changes, and for other
    /// credentials.
    package let historyAfter: Int
    let source: Source
    private let streamCount = Atomic<Int>(0)
    /// See `init`.
    let kind: String

    /// The origin of access: a line of a token file, or a key. It can be revoked.
    package final class Source: Sendable {
        private let isGone = Atomic<Bool>(false)

        /// Identifies the token or the key; nil for a source outside of them.
        let id: TokenDigest?

        package init() { id = nil }

        init(id: TokenDigest) { self.id = id }

        /// Revokes all access of this source.
        package func end() { isGone.store(true, ordering: .sequentiallyConsistent) }

        package var isInForce: Bool { !isGone.load(ordering: .sequentiallyConsistent) }
    }

    /// - Parameter kind: the kind of credentials: equal names of different kinds are different
    ///   clients.
    package init(
        kind: String, name: String?, grants: Grants, expires: Date? = nil, link: String? = nil,
        historyAfter: Int = 0, issuedID: String? = nil, createdBy: String? = nil,
        source: Source = Source()
    ) {
        self.kind = kind
        self.issuedID = issuedID
        self.createdBy = createdBy
        let text = name ?? "-"
        self.name = Self.printable(text)
        self.grants = grants
        self.expires = expires
        self.link = link
        self.historyAfter = historyAfter
        self.source = source
        // With a length, so that the boundary between the parts is unambiguous.
        let parts = "\(kind.utf8.count) \(kind)\(text)"
        identity = TokenDigest(of: Array(parts.utf8)).hexadecimal
        author = name.map { [identity] in
            $0.utf8.count <= Self.maximumAuthorBytes ? $0 : identity
        }
    }

    /// The name without characters that would break or mirror a log line: names in signed tokens are chosen
    /// by their issuer.
    private static func printable(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars.prefix(TokenTable.maximumNameBytes) {
            text.unicodeScalars.append(TokenTable.controlsText(scalar) ? "?" : scalar)
        }
        return text
    }

    /// Whether it is still valid, for work that continues after a request was accepted.
    package func isInForce(at time: Date) -> Bool {
        source.isInForce && expires.map { time < $0 } ?? true
    }

    func end() { source.end() }

    /// An open stream of the client. It exists as long as the stream.
    package final class Stream: Sendable {
        package let access: TokenAccess

        /// Whether the access is in force must be checked after this.
        package init(of access: TokenAccess) {
            self.access = access
            access.streamCount.add(1, ordering: .sequentiallyConsistent)
        }

        deinit { access.streamCount.subtract(1, ordering: .sequentiallyConsistent) }
    }

    /// Whether streams are open that end when the access ends.
    var hasStreams: Bool { streamCount.load(ordering: .sequentiallyConsistent) > 0 }
}
