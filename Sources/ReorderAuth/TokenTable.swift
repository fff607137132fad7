import Foundation

/// The known tokens' digests, and their grants.
///
/// The file has one JSON object per line:
///
///     {"name":"phone","sha256":"…","scope":"write","lists":["family-*"]}
///
/// `lists` is one pattern or several; if absent, all lists are allowed. Empty lines and lines that
/// begin with `#` are ignored.
package struct TokenTable: Sendable {
    private let digests: [TokenDigest]
    private let grants: [Grant]

    package static let maximumNameBytes = 64
    package static let maximumCount = 10_000

    package static let empty = TokenTable(digests: [], grants: [])

    private init(digests: [TokenDigest], grants: [Grant]) {
        self.digests = digests
        self.grants = grants
    }

    /// Why a file is invalid. It does not reveal the line's content.
    package struct FormatError: Error, CustomStringConvertible {
        package var line: Int
        package var reason: String
        package var description: String { "line \(line): \(reason)" }
    }

    /// Parses a file's text.
    package init(_ text: String) throws(FormatError) {
        var digests: [TokenDigest] = []
        var grants: [Grant] = []
        var seen: Set<TokenDigest> = []
        // By bytes, because Swift treats a carriage return and a line feed as one character.
        for (index, line) in text.utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).enumerated() {
            let line = String(Substring(line)).trimmingCharacters(in: .whitespacesAndNewlines)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            do throws(TokenLine.FormatError) {
                let token = try TokenLine(json: line)
                guard seen.insert(token.digest).inserted else {
                    throw TokenLine.FormatError(reason: "an earlier line has the same sha256")
                }
                digests.append(token.digest)
                grants.append(
                    Grant(
                        kind: "token", name: token.name, scope: token.scope, lists: token.lists,
                        source: Grant.Source(id: token.digest)))
            } catch {
                throw FormatError(line: index + 1, reason: error.reason)
            }
            guard grants.count <= Self.maximumCount else {
                throw FormatError(
                    line: index + 1, reason: "there are more than \(Self.maximumCount) tokens")
            }
        }
        self.init(digests: digests, grants: grants)
    }

    package var count: Int { grants.count }

    /// All tokens' digests and grants.
    var all: some Sequence<(TokenDigest, Grant)> { zip(digests, grants) }

    /// A token's grant. The duration does not depend on the token. Complexity: O(number of tokens).
    func grant(for digest: TokenDigest) -> Grant? {
        TokenDigest.place(of: digest, among: digests).map { grants[$0] }
    }

    /// Replaces an older table: grants of equal lines stay valid, and the other old grants are
    /// revoked.
    func replacing(_ older: TokenTable) -> TokenTable {
        var known: [TokenDigest: Grant] = [:]
        for (digest, grant) in zip(older.digests, older.grants) { known[digest] = grant }
        let merged = zip(digests, grants).map { digest, grant in
            guard let old = known[digest], old.name == grant.name, old.scope == grant.scope,
                old.lists == grant.lists
            else { return grant }
            known[digest] = nil
            return old
        }
        for grant in known.values { grant.end() }
        return TokenTable(digests: digests, grants: merged)
    }
}
