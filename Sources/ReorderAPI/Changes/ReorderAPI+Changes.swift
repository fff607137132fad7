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
    func getChanges(_ call: Call) throws -> Response {
        let list = call.request.parameter("id")
        let since = try call.request.since(tags) ?? 0
        let limit = try call.request.number(
            "limit", in: 1...Self.maximumChangesPage, default: Self.defaultChangesPage)
        let seconds = try call.request.number(
            "wait", in: 0...Self.maximumWaitSeconds, default: 0)
        if seconds > 0, call.context.watch == nil {
            // Before the list is asked where it stands, so that nothing is missed between.
            call.context.watch = service.watch(list, for: call)
        }
        let position = try service.position(of: list, call.context)
        var page = ChangesPage(list: list, version: position.version, changes: [])
        if since < position.version {
            let changes = try service.changes(
                of: list, after: since, limit: limit, bytes: Self.changesPageBytes, call.context)
            guard let changes else { throw Problem(goneAfter: since, at: position.version) }
            page.version = max(position.version, changes.last?.version ?? 0)
            page.changes = changes
        } else if !position.exists {
            throw ServiceError.listNotFound(list)
        } else if since > position.version {
            throw Problem(goneAfter: since, at: position.version)
        } else if seconds > 0, !call.isTimeOver {
            call.wait(atMostSeconds: seconds)
            throw service.waitForNews(call.context)
        }
        try access?.checkStillInForce(call.request)
        return page.response(to: call.request, tags)
    }
}

extension Problem {
    fileprivate init(goneAfter since: Int, at version: Int) {
        self.init(
            .historyGone,
            since > version
                ? "The list has no such version: it is from before a restore."
                : "The changes after this version are no longer kept: fetch the list.",
            version: version)
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
