import Foundation

/// The tokens that are known, by their digests, and what each is granted.
///
/// Written as lines of JSON, an object each:
///
///     {"name":"phone","sha256":"…","scope":"write","lists":["family-*"]}
///
/// `lists` is one pattern or several; left out, it is all lists. Empty lines and lines that begin with
/// `#` count for nothing.
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

    /// Why a file can't be used. It tells nothing of what a line holds.
    package struct Fault: Error, CustomStringConvertible {
        package var line: Int
        package var reason: String
        package var description: String { "line \(line): \(reason)" }
    }

    /// Reads a file's text.
    package init(_ text: String) throws(Fault) {
        var digests: [TokenDigest] = []
        var grants: [Grant] = []
        var seen: Set<TokenDigest> = []
        // Of bytes: with a carriage return before it, a line's end is a character of its own.
        for (index, line) in text.utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).enumerated() {
            let line = String(Substring(line)).trimmingCharacters(in: .whitespacesAndNewlines)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            do throws(TokenLine.Fault) {
                let token = try TokenLine(json: line)
                guard seen.insert(token.digest).inserted else {
                    throw TokenLine.Fault(reason: "this sha256 has a line already")
                }
                digests.append(token.digest)
                grants.append(
                    Grant(
                        kind: "token", name: token.name, scope: token.scope, lists: token.lists))
            } catch {
                throw Fault(line: index + 1, reason: error.reason)
            }
            guard grants.count <= Self.maximumCount else {
                throw Fault(line: index + 1, reason: "there are over \(Self.maximumCount) tokens")
            }
        }
        self.init(digests: digests, grants: grants)
    }

    package var count: Int { grants.count }

    /// What a token is granted. Takes as long for one as for another. Complexity: O(number of tokens).
    func grant(for digest: TokenDigest) -> Grant? {
        TokenDigest.place(of: digest, among: digests).map { grants[$0] }
    }

    /// This table in place of an older one: what is the same in both goes on, the rest of the older
    /// one is over.
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
