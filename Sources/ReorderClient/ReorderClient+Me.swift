import Foundation
import ReorderJSON

/// What the client's token allows.
public struct ClientRights: Sendable, Equatable {
    /// The token's name; nil if the server has no tokens.
    public var name: String?
    /// The author of the client's changes, as in ``LiveList/Row/updatedBy``; nil if it has no name.
    public var author: String?
    /// The client may do what at least one of them allows.
    public var grants: [Grant]
    /// The list, if the token is a link to it (``ListShare``); nil otherwise.
    public var link: String?
    /// Who made the token over HTTP: whom to ask for another one; nil if that is unknown.
    public var createdBy: String?
    /// Until when the server accepts the token; nil if it does not expire.
    public var expiresAt: Date?

    /// A scope, and the lists that it covers.
    public struct Grant: Sendable, Equatable {
        /// `read`, `write`, `purge` or `admin`: each includes those before it. `metrics` allows
        /// nothing with lists. A later server can have further scopes.
        public var scope: String
        /// Ids of lists; or the beginning of ids, followed by `*`.
        public var lists: [String]

        fileprivate func covers(_ list: String) -> Bool {
            lists.contains { $0.last == "*" ? list.hasPrefix($0.dropLast()) : list == $0 }
        }
    }

    /// Whether the token allows changes of a list. O(number of patterns).
    public func mayWrite(_ list: String) -> Bool {
        grants.contains { ["write", "purge", "admin"].contains($0.scope) && $0.covers(list) }
    }
}

extension ReorderClient {
    /// Asks the server what the client's token allows, so that an app can hide what would be refused.
    ///
    /// - Throws: `unauthorized` if the server does not accept the token; `unreachable`, also if the
    ///   server asks to try again later.
    public func me() async throws(ClientError) -> ClientRights {
        try await send(
            APICall(method: "GET", path: ["me"]) {
                var reader = try JSONReader(answer: $0.body)
                return try ClientRights(from: &reader)
            })
    }
}

extension ClientRights {
    fileprivate init(from reader: inout JSONReader) throws(JSONTypeError) {
        grants = []
        var hasGrants = false
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "name": self.name = reader.readNull() ? nil : try reader.readString()
            case "author": author = reader.readNull() ? nil : try reader.readString()
            case "link": link = try reader.readStringOrNull()
            case "createdBy": createdBy = try reader.readStringOrNull()
            case "expiresAt": expiresAt = reader.readNull() ? nil : try Date(from: &reader)
            case "grants":
                hasGrants = true
                try reader.beginArray()
                while reader.nextElement() { grants.append(try Grant(from: &reader)) }
            default: reader.skip()
            }
        }
        guard hasGrants else { throw reader.missingMember("grants") }
    }
}

extension ClientRights.Grant {
    fileprivate init(from reader: inout JSONReader) throws(JSONTypeError) {
        scope = ""
        lists = []
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "scope": scope = try reader.readString()
            case "lists":
                try reader.beginArray()
                while reader.nextElement() { lists.append(try reader.readString()) }
            default: reader.skip()
            }
        }
    }
}
