import MicroHTTP
import ReorderAuth
import ReorderJSON
import ReorderService
import ReorderStore
import ReorderWebhooks

extension ReorderAPI {
    /// The number of lists in a page of the index if `limit` is omitted, and the maximum.
    static let defaultIndexPage = 100
    static let maximumIndexPage = 1_000

    /// The index of all lists, or of the lists with given ids, ordered by id. The cursor of a page is the id of its last list.
    func getLists(_ request: Request) throws -> Job {
        let limit = try request.number(
            "limit", in: 1...Self.maximumIndexPage, default: Self.defaultIndexPage)
        let cursor = try request.listCursor()
        var lists = request.readableLists
        if let ids = try request.ids(), let named = ListPatterns(ids) {
            lists = lists.intersection(named)
        }
        let runs = lists.ranges(after: cursor)
        return .wait(
            for: { [service] in service.index(of: runs, after: cursor, limit: limit, $0) }
        ) { .respond(.read(Self.body(of: $0))) }
    }

    private static func body(of page: ListService.Index) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("lists")
        writer.beginArray()
        for list in page.lists { writer.summary(list) }
        writer.endArray()
        writer.name("cursor")
        writer.stringOrNull(page.cursor)
        writer.endObject()
        return writer.bytes
    }
}

extension Request {
    /// The cursor of a page of lists: the id of the last list of the page before.
    func listCursor() throws(Problem) -> String? {
        let cursor = query["cursor"]
        guard cursor.map(Identifier.isValid) ?? true else {
            throw Problem(
                .invalidQuery, "The cursor is invalid. Use the cursor of an earlier page.")
        }
        return cursor
    }
}

extension JSONWriter {
    mutating func summary(_ list: IndexedList) {
        beginObject()
        name("id")
        string(list.id)
        name("title")
        string(list.title)
        name("version")
        int(list.version)
        name("count")
        int(list.count)
        name("open")
        if let open = list.open { int(open) } else { null() }
        endObject()
    }
}
