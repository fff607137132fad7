import Foundation
import MicroHTTP
import ReorderAuth
import ReorderJSON

extension ReorderAPI {
    /// Returns the client's name and what it may do, so that an app can hide what the server would
    /// refuse.
    func getMe(_ request: Request) throws -> Job {
        let grant = request.grant
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("name")
        if let grant { writer.string(grant.name) } else { writer.null() }
        writer.name("grants")
        writer.beginArray()
        writer.beginObject()
        writer.name("scope")
        writer.string((grant?.scope ?? .admin).name)
        writer.name("lists")
        writer.beginArray()
        for pattern in grant?.lists.patterns ?? ["*"] { writer.string(pattern) }
        writer.endArray()
        writer.endObject()
        writer.endArray()
        writer.name("expiresAt")
        if let expires = grant?.expires {
            // A claim can have any number: `time` replaces the times after the year 9999.
            writer.time(milliseconds: Int64(min(expires.timeIntervalSince1970 * 1_000, 1e17)))
        } else {
            writer.null()
        }
        writer.endObject()
        return .respond(.read(writer.bytes))
    }
}
