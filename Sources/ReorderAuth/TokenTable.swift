import Foundation

/// The known tokens' digests, and their access.
///
/// The file has one JSON object per line:
///
///     {"name":"phone","sha256":"…","scope":"write","lists":["family-*"]}
///     {"name":"board","sha256":"…","grants":[{"scope":"read"},{"scope":"write","lists":["a-*"]}]}
///
/// `lists` is one pattern or several; if absent, all lists are allowed. Empty lines and lines that
/// begin with `#` are ignored.
package struct TokenTable: Sendable {
    private let digests: [TokenDigest]
    private let access: [TokenAccess]

    package static let maximumNameBytes = 64
    package static let maximumCount = 10_000

    package static func isValid(name: String) -> Bool {
        (1...maximumNameBytes).contains(name.utf8.count)
            && !name.unicodeScalars.contains(where: controlsText)
    }

    /// Whether a character could show a name differently from what it is: on several lines, or mirrored, so
    /// that its end seems to be elsewhere.
    static func controlsText(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    package static let empty = TokenTable(digests: [], access: [])

    init(digests: [TokenDigest], access: [TokenAccess]) {
        self.digests = digests
        self.access = access
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
        var access: [TokenAccess] = []
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
                access.append(
                    TokenAccess(
                        kind: "token", name: token.name, grants: token.grants,
                        source: TokenAccess.Source(id: token.digest)))
            } catch {
                throw FormatError(line: index + 1, reason: error.reason)
            }
            guard access.count <= Self.maximumCount else {
                throw FormatError(
                    line: index + 1, reason: "there are more than \(Self.maximumCount) tokens")
            }
        }
        self.init(digests: digests, access: access)
    }

    package var count: Int { access.count }

    /// All tokens' digests and access.
    var all: some Sequence<(TokenDigest, TokenAccess)> { zip(digests, access) }

    /// A token's access. The duration does not depend on the token. Complexity: O(number of tokens).
    func access(for digest: TokenDigest) -> TokenAccess? {
        TokenDigest.place(of: digest, among: digests).map { access[$0] }
    }

    /// Replaces an older table: the access of equal lines stays valid, and the other access is
    /// revoked.
    func replacing(_ older: TokenTable) -> TokenTable {
        var known: [TokenDigest: TokenAccess] = [:]
        for (digest, access) in older.all { known[digest] = access }
        let merged = all.map { digest, new in
            guard let old = known[digest], old.name == new.name, old.grants == new.grants,
                old.expires == new.expires
            else { return new }
            known[digest] = nil
            return old
        }
        for access in known.values { access.end() }
        return TokenTable(digests: digests, access: merged)
    }
}
