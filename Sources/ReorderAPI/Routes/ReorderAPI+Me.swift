import Foundation
import MicroHTTP
import ReorderAuth
import ReorderJSON

extension ReorderAPI {
    /// Returns the client's name and what it may do, so that an app can hide what the server would
    /// refuse.
    func getMe(_ request: Request) throws -> Job {
        let token = request.tokenAccess
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("name")
        writer.stringOrNull(token?.name)
        writer.name("author")
        writer.stringOrNull(token?.author)
        writer.name("grants")
        writer.beginArray()
        for grant in token?.grants.all ?? [Grant(.admin)] {
            writer.grant(grant.scope, grant.lists.patterns)
        }
        writer.endArray()
        writer.name("link")
        writer.stringOrNull(token?.link)
        writer.name("createdBy")
        writer.stringOrNull(token?.createdBy)
        writer.name("expiresAt")
        if let expires = token?.expires {
            // A claim can have any number: `time` replaces the times after the year 9999.
            writer.time(milliseconds: Int64(min(expires.timeIntervalSince1970 * 1_000, 1e17)))
        } else {
            writer.null()
        }
        writer.endObject()
        return .respond(.read(writer.bytes))
    }
}

extension JSONWriter {
    /// - Parameter patterns: nil for all lists.
    mutating func grant(_ scope: AccessScope, _ patterns: [String]?) {
        beginObject()
        name("scope")
        string(scope.name)
        name("lists")
        beginArray()
        for pattern in patterns ?? ["*"] { string(pattern) }
        endArray()
        endObject()
    }
}
