import ReorderAuth
import ReorderJSON

/// The body that makes a token.
struct TokenBody {
    let name: String
    let grants: [GrantForm]
    /// Milliseconds since 1970; nil if the token does not expire.
    let expiresAt: Int64?

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var name: String?
        var grants: [GrantForm]?
        var expiresAt: Int64?
        try reader.beginObject()
        while let member = reader.nextMember() {
            switch member {
            case "name":
                let text = try reader.readString()
                guard TokenTable.isValid(name: text) else {
                    throw reader.invalid(
                        "The name must have 1 to \(TokenTable.maximumNameBytes) bytes, without characters "
                            + "that control lines or directions.")
                }
                guard !text.hasSuffix(IssuedToken.linkSuffix) else {
                    throw reader.invalid(
                        "The end \"\(IssuedToken.linkSuffix)\" is for the names of links.")
                }
                name = text
            case "grants": grants = try GrantForm.readAll(from: &reader, allowsText: false)
            case "expiresAt": expiresAt = try reader.readTimeOrNull()
            default: throw reader.unknownMember(allowed: ["name", "grants", "expiresAt"])
            }
        }
        guard let name else { throw reader.missingMember("name") }
        guard let grants else { throw reader.missingMember("grants") }
        self.name = name
        self.grants = grants
        self.expiresAt = expiresAt
    }
}
