import ReorderJSON

/// A token that was made over HTTP, as the store has it: JSON, with the token's SHA-256 instead of the
/// token.
package struct IssuedToken: Sendable, Equatable {
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
        guard let text = try? JSONText(credential: bytes) else { return nil }
        var reader = JSONReader(text)
        guard let token = try? IssuedToken(from: &reader) else { return nil }
        self = token
    }

    private init(from reader: inout JSONReader) throws(JSONTypeError) {
        var (id, name, sha256) = (String?.none, String?.none, String?.none)
        var grants: [GrantForm]?
        var createdAt: Int?
        try reader.beginObject()
        while let member = reader.nextMember() {
            switch member {
            case "id": id = try reader.readString()
            case "name": name = try reader.readString()
            case "sha256": sha256 = try reader.readString()
            case "grants": grants = try GrantForm.readAll(from: &reader)
            case "createdAt": createdAt = try reader.readInt()
            case "createdBy": createdBy = try reader.readString()
            case "expiresAt": expiresAt = Int64(try reader.readInt())
            case "link": link = try reader.readString()
            case "historyAfter": historyAfter = try reader.readInt()
            // Of a later version.
            default: break
            }
        }
        self.id = try reader.required(id, "id")
        self.name = try reader.required(name, "name")
        self.sha256 = try reader.required(sha256, "sha256")
        self.grants = try reader.required(grants, "grants")
        self.createdAt = Int64(try reader.required(createdAt, "createdAt"))
    }

    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("createdAt", Int(createdAt))
        writer.member("createdBy", createdBy)
        writer.member("expiresAt", expiresAt.map { Int($0) })
        writer.grants(grants)
        writer.member("historyAfter", historyAfter)
        writer.member("id", id)
        writer.member("link", link)
        writer.member("name", name)
        writer.member("sha256", sha256)
        writer.endObject()
        return writer.bytes
    }

    package func isExpired(at milliseconds: Int64) -> Bool {
        expiresAt.map { $0 <= milliseconds } ?? false
    }
}
