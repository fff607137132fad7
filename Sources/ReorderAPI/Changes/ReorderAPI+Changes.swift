import MicroHTTP
import ReorderJSON
import ReorderService
import ReorderStore

extension ReorderAPI {
    /// How many changes a page holds where `limit` is left out, and at most.
    static let defaultChangesPage = 100
    static let maximumChangesPage = 1_000
    /// How many bytes of changes a page holds at most, unless its first change alone has more.
    static let changesPageBytes = 1 << 20
    static let maximumWaitSeconds = 60

    /// The changes after a version, at once or once there is one.
    func getChanges(
        _ request: Request, _ responder: Responder, _ answer: @escaping Answer
    ) throws(Problem) {
        let poll = ChangesPoll(
            service, list: request.parameter("id"),
            since: try request.since(tags) ?? 0,
            limit: try request.number(
                "limit", in: 1...Self.maximumChangesPage, default: Self.defaultChangesPage)
        ) { [access, tags] result in
            answer(
                result.flatMap { page in
                    Result { () throws(Problem) in
                        try access?.checkStillInForce(request)
                        return page.response(to: request, tags)
                    }
                })
        }
        let seconds = try request.number("wait", in: 0...Self.maximumWaitSeconds, default: 0)
        poll.start(waiting: seconds > 0) {
            responder.after(seconds: Double(seconds)) { poll.giveUp() }
        }
    }
}

/// Changes that follow one another, and whether there are more.
struct ChangesPage: Sendable {
    var list: String
    /// The list's.
    var version: Int
    var changes: [StoredChange]

    func response(to request: Request, _ tags: EntityTags) -> Response {
        let tag = tags.list(version)
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("list")
        writer.string(list)
        writer.name("version")
        writer.int(version)
        writer.name("changes")
        writer.beginArray()
        for change in changes { writer.raw(change.bytes) }
        writer.endArray()
        writer.name("more")
        writer.bool(changes.last.map { $0.version < version } ?? false)
        writer.endObject()
        let response = Response.read(tag: tag, writer.bytes)
        return request.hasSeen(tag) ? response.notModified : response
    }
}
