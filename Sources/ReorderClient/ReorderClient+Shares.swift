import Foundation
import ReorderJSON

/// A link to a list, with which other people read it or change what is in it.
public struct ListShare: Sendable, Equatable, Identifiable {
    /// The link's id.
    public var id = ""
    /// The author of the changes that are made with the link. It ends in " (link)".
    public var name = ""
    /// Whether the link also allows changes of what is in the list.
    public var mayWrite = false
    /// Whether the link also shows the changes from before it was made.
    public var showsAllHistory = false
    /// Who made the link; nil if that client has no name.
    public var author: String?
    /// When the link expires.
    public var expiresAt = Date.distantPast
    /// The token, for apps; nil except for a new link.
    public var token: String?
    /// The path and the fragment of the server's web page that open the list, to be appended to the
    /// server's address; nil except for a new link.
    public var path: String?
}

/// Links to a list. These calls need the network. The token needs the scope `write` for the list, and must
/// not be a link itself.
extension ReorderClient {
    /// The links to a list that have not expired, oldest first.
    ///
    /// - Throws: `invalid` if the id is malformed, or the server has no tokens; `unauthorized`, also if the
    ///   token does not allow it; `unreachable`, also if the server asks to try again later.
    public func shares(of list: String) async throws(ClientError) -> [ListShare] {
        try await send(
            APICall(method: "GET", path: ["lists", list, "shares"]) {
                try ResponsePage(json: $0.body, items: "shares", ListShare.read).items
            })
    }

    /// Makes a link to a list. Only the returned value has its token.
    ///
    /// - Parameters:
    ///   - mayWrite: whether the link also allows changes of what is in the list.
    ///   - name: for whom the link is, 1 to 50 bytes.
    ///   - showsAllHistory: whether the link also shows the changes from before it was made, with what was
    ///     deleted then.
    ///   - expiresAt: at most 366 days from now; nil: in 30 days.
    /// - Throws: `invalid` if the id or the name is malformed, the time is not possible, the list has 100 links,
    ///   or the server has no tokens; `listNotFound`; `unauthorized`, also if the token does not allow it;
    ///   `unreachable`, also if the server asks to try again later.
    public func share(
        _ list: String, mayWrite: Bool, name: String = "Guest", showsAllHistory: Bool = false,
        until expiresAt: Date? = nil
    ) async throws(ClientError) -> ListShare {
        try await send(
            APICall(
                method: "POST", path: ["lists", list, "shares"],
                form: { writer in
                    writer.member("scope", mayWrite ? "write" : "read")
                    writer.member("name", name)
                    writer.member("history", showsAllHistory ? "all" : nil)
                    writer.member("expiresAt", expiresAt?.formatted(.iso8601))
                }
            ) {
                var reader = try JSONReader(answer: $0.body)
                return try ListShare.read(from: &reader)
            })
    }

    /// Takes back a link: it stops working at once.
    ///
    /// - Throws: `invalid` if the id is malformed, or the link does not exist; `unauthorized`, also if the
    ///   token does not allow it; `unreachable`, also if the server asks to try again later.
    public func removeShare(_ share: String, of list: String) async throws(ClientError) {
        try await send(
            APICall(method: "DELETE", path: ["lists", list, "shares", share]) {
                try $0.expectNoContent()
            })
    }
}

extension ListShare {
    fileprivate static func read(from reader: inout JSONReader) throws(JSONTypeError) -> ListShare {
        var share = ListShare()
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": share.id = try reader.readString()
            case "name": share.name = try reader.readString()
            case "scope": share.mayWrite = try reader.readString() == "write"
            case "history": share.showsAllHistory = try reader.readString() == "all"
            case "createdBy": share.author = try reader.readStringOrNull()
            case "expiresAt": share.expiresAt = try Date(from: &reader)
            case "token": share.token = try reader.readString()
            case "path": share.path = try reader.readString()
            default: reader.skip()
            }
        }
        guard !share.id.isEmpty else { throw reader.missingMember("id") }
        return share
    }
}
