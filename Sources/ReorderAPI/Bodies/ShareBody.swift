import ReorderAuth
import ReorderJSON

/// The body that makes a link to a list.
struct ShareBody {
    /// The complete name, with its end.
    let name: String
    let scope: AccessScope
    /// Milliseconds since 1970; nil for the standard time.
    let expiresAt: Int64?
    /// Whether the link shows the changes from before it was made.
    let showsAllHistory: Bool

    /// The maximum length of the part that the client chooses.
    static let maximumNameBytes = 50

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var name = "Guest"
        var scope: AccessScope?
        var expiresAt: Int64?
        var showsAllHistory = false
        try reader.beginObject()
        while let member = reader.nextMember() {
            switch member {
            case "name":
                name = try reader.readString()
                guard TokenTable.isValid(name: name), name.utf8.count <= Self.maximumNameBytes
                else {
                    throw reader.invalid(
                        "The name must have 1 to \(Self.maximumNameBytes) bytes, without characters "
                            + "that control lines or directions.")
                }
            case "scope":
                scope = AccessScope(name: try reader.readString())
                guard scope == .read || scope == .write else {
                    throw reader.invalid("The scope must be read or write.")
                }
            case "expiresAt": expiresAt = try reader.readTimeOrNull()
            case "history":
                let history = try reader.readString()
                guard ["new", "all"].contains(history) else {
                    throw reader.invalid("The history must be new or all.")
                }
                showsAllHistory = history == "all"
            default:
                throw reader.unknownMember(allowed: ["name", "scope", "expiresAt", "history"])
            }
        }
        guard let scope else { throw reader.missingMember("scope") }
        self.name = name + IssuedToken.linkSuffix
        self.scope = scope
        self.expiresAt = expiresAt
        self.showsAllHistory = showsAllHistory
    }
}
