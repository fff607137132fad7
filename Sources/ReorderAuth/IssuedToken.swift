import Foundation
import ReorderJSON

/// A token that was made over HTTP, as the store has it: JSON, with the token's SHA-256 instead of the
/// token.
package struct IssuedToken: Codable, Sendable, Equatable {
    package var id: String
    /// The author of the client's changes. It need not be unique.
    package var name: String
    package var sha256: String
    package var grants: [GrantForm]
    /// Milliseconds since 1970, like `expiresAt`.
    package var createdAt: Int64
    /// The author of the request that made it; nil if its client has no name.
    package var createdBy: String?
    /// nil if it does not expire.
    package var expiresAt: Int64?
    /// The list of a link; nil if the token is no link. Its grant is for this list only.
    package var link: String?
    /// The list's version when the link was made, if the link does not show earlier changes; nil if it
    /// shows all, as links of earlier programs do.
    package var historyAfter: Int?

    /// The end of a link's name, and of no other issued token's name: who uses a link can't pass for a
    /// person.
    package static let linkSuffix = " (link)"

    package init(
        id: String, name: String, digest: TokenDigest, grants: [GrantForm], createdAt: Int64,
        createdBy: String?, expiresAt: Int64?, link: String? = nil, historyAfter: Int? = nil
    ) {
        self.id = id
        self.name = name
        sha256 = digest.hexadecimal
        self.grants = grants
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.expiresAt = expiresAt
        self.link = link
        self.historyAfter = historyAfter
    }

    /// - Returns: nil if the bytes are not valid.
    package init?(bytes: [UInt8]) {
        guard let token = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else {
            return nil
        }
        self = token
    }

    package var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }

    package func isExpired(at milliseconds: Int64) -> Bool {
        expiresAt.map { $0 <= milliseconds } ?? false
    }
}
