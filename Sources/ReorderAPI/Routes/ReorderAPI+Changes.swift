import MicroHTTP
import ReorderJSON
import ReorderService
import ReorderStore

extension ReorderAPI {
    /// The number of changes in a page if `limit` is omitted, and the maximum. Never lower the maximum:
    /// clients ask for it (`SyncMachine`).
    static let defaultChangesPage = 100
    static let maximumChangesPage = 1_000
    /// The maximum size of a page's changes in bytes.
    static let changesPageBytes = FeedEvent.maximumChangeBytes
    static let maximumWaitSeconds = 60

    /// Returns the changes after a version, or the history. With `wait`, a request that finds no
    /// changes waits for one.
    func getChanges(_ request: Request) throws -> Job {
        if try request.wantsHistory() { return try history(request) }
        let list = request.parameter("id")
        let since = try request.since(tags) ?? 0
        guard since >= request.historyAfter else { throw Problem.hiddenByLink }
        let limit = try request.number(
            "limit", in: 1...Self.maximumChangesPage, default: Self.defaultChangesPage)
        let seconds = try request.number(
            "wait", in: 0...Self.maximumWaitSeconds, default: 0)
        let query = ChangesQuery(request: request, list: list, since: since, limit: limit)
        guard seconds > 0 else { return changes(query, nil) }
        // The watch begins before the list's version is read. Otherwise a change in between would be
        // missed.
        return changes(query, LongPoll(seconds: seconds, of: service.channel(of: list)))
    }

    private struct ChangesQuery {
        let request: Request
        let list: String
        let since: Int
        let limit: Int
    }

    /// - Parameter poll: for changes if there are none now; nil responds without changes.
    private func changes(_ query: ChangesQuery, _ poll: LongPoll?) -> Job {
        .wait(for: { [service] in service.position(of: query.list, $0) }) { [self] position in
            let since = query.since
            if since < position.version { return stored(query, position) }
            guard position.exists else { throw ServiceError.listNotFound(query.list) }
            guard since == position.version else {
                throw Problem(goneAfter: since, at: position.version)
            }
            if let poll {
                return .poll(poll) { [self] isOver in changes(query, isOver ? nil : poll) }
            }
            return try respond([], of: query, at: position.version)
        }
    }

    private func stored(_ query: ChangesQuery, _ position: ListPosition) -> Job {
        .wait(
            for: { [service] in
                service.changes(
                    of: query.list, after: query.since, limit: query.limit,
                    bytes: Self.changesPageBytes, $0)
            }
        ) { [self] changes in
            guard let changes else {
                throw Problem(goneAfter: query.since, at: position.version)
            }
            let version = max(position.version, changes.last?.version ?? 0)
            if changes.hasOversizedChange {
                throw Problem(
                    .historyGone,
                    "The next change is larger than \(Self.changesPageBytes) bytes. Fetch the list.",
                    version: version)
            }
            return try respond(changes, of: query, at: version)
        }
    }

    private func respond(
        _ changes: [StoredChange], of query: ChangesQuery, at version: Int
    ) throws -> Job {
        try access?.recheck(query.request)
        let page = ChangesPage(list: query.list, version: version, changes: changes)
        return .respond(page.response(tags))
    }
}

extension Problem {
    static var hiddenByLink: Problem {
        Problem(
            .historyGone,
            "This link does not show the changes from before it was made. Fetch the list.")
    }

    fileprivate init(goneAfter since: Int, at version: Int) {
        self.init(
            .historyGone,
            since > version
                ? "The list has no such version in this store's epoch. Fetch the list."
                : "The changes after this version are no longer stored. Fetch the list.",
            version: version)
    }
}

/// Consecutive changes, and whether more follow.
struct ChangesPage: Sendable {
    var list: String
    /// The list's version.
    var version: Int
    var changes: [StoredChange]

    func response(_ tags: EntityTags) -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("list")
        writer.string(list)
        writer.name("version")
        writer.int(version)
        writer.name("epoch")
        writer.string(tags.epoch)
        writer.name("changes")
        writer.beginArray()
        for change in changes { writer.raw(change.bytes) }
        writer.endArray()
        writer.name("more")
        writer.bool(changes.last.map { $0.version < version } ?? false)
        writer.endObject()
        return .read(tag: tags.list(version), writer.bytes)
    }
}
