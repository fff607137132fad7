import Foundation

/// The tokens that were made over HTTP, as they were read last. What is stored unchanged is not parsed again.
struct IssuedTokens: Sendable {
    fileprivate struct Entry: Sendable {
        var bytes: [UInt8]
        /// nil if the bytes are not valid.
        var token: IssuedToken?
        var access: (digest: TokenDigest, access: TokenAccess)?
    }

    private var entries: [String: Entry] = [:]
    /// The valid tokens, in the order of the store.
    private(set) var all: [IssuedToken] = []
    private(set) var table = TokenTable.empty

    /// Replaces the tokens. The access of those that are gone is revoked.
    ///
    /// - Parameter stored: the tokens' ids and content.
    mutating func replace(with stored: [(id: String, bytes: [UInt8])]) {
        var old = entries
        entries = [:]
        all = []
        var digests: [TokenDigest] = []
        var access: [TokenAccess] = []
        for (id, bytes) in stored {
            let entry: Entry
            if let known = old[id], known.bytes == bytes {
                entry = known
                old[id] = nil
            } else {
                entry = Entry(bytes)
            }
            entries[id] = entry
            if let token = entry.token { all.append(token) }
            if let one = entry.access {
                digests.append(one.digest)
                access.append(one.access)
            }
        }
        for entry in old.values { entry.access?.access.end() }
        table = TokenTable(digests: digests, access: access)
    }
}

extension IssuedTokens.Entry {
    /// Each token is a client of its own: an administrator for certain lists could otherwise choose a name
    /// whose stored responses belong to another client.
    fileprivate init(_ bytes: [UInt8]) {
        self.bytes = bytes
        token = IssuedToken(bytes: bytes)
        guard let token, let digest = TokenDigest(hexadecimal: token.sha256),
            let grants = try? Grants(forms: token.grants)
        else { return }
        let expires = token.expiresAt.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
        access = (
            digest,
            TokenAccess(
                kind: "issued \(token.id)", name: token.name, grants: grants, expires: expires,
                link: token.link, historyAfter: token.historyAfter ?? 0,
                source: TokenAccess.Source(id: digest))
        )
    }
}
