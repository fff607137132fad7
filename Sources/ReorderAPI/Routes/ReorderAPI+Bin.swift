import MicroHTTP
import ReorderAuth
import ReorderJSON
import ReorderService
import ReorderStore
import ReorderWebhooks

extension ReorderAPI {
    /// The deleted lists that the client can restore, ordered by id. The cursor of a page is the id of
    /// its last list.
    func getBin(_ request: Request) throws -> Job {
        let limit = try request.number(
            "limit", in: 1...Self.maximumIndexPage, default: Self.defaultIndexPage)
        let cursor = try request.listCursor()
        let lists = request.writableLists
        return .wait(
            for: { [service] in
                service.bin(of: lists.ranges(after: cursor), after: cursor, limit: limit, $0)
            }
        ) { [service] page in
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("lists")
            writer.beginArray()
            for list in page.lists {
                writer.deletedList(list, expiresAt: service.limits.bin.expiry(of: list))
            }
            writer.endArray()
            writer.name("cursor")
            writer.stringOrNull(page.cursor)
            writer.endObject()
            return .respond(.read(writer.bytes))
        }
    }

    /// Restores a list from the bin.
    func postRestore(_ request: Request) throws -> Job {
        try request.checkEmptyBody()
        let id = request.parameter("id")
        return try write(
            .restore, to: .list(id), request, WriteRendering(tags, request, created: "/lists/\(id)")
        )
    }
}

extension JSONWriter {
    fileprivate mutating func deletedList(_ list: BinEntry, expiresAt: Int64) {
        beginObject()
        name("id")
        string(list.id)
        name("title")
        string(list.title)
        name("version")
        int(list.version)
        name("count")
        int(list.count)
        name("deletedAt")
        time(milliseconds: list.deletedAt)
        name("expiresAt")
        time(milliseconds: expiresAt)
        endObject()
    }
}
