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
    static let changesPageBytes = ListEventSource.maximumChangeBytes
    static let maximumWaitSeconds = 60

    /// Returns the changes after a version. With `wait`, a request that finds no changes waits for
    /// one.
    func getChanges(_ request: Request) throws -> Job {
        let list = request.parameter("id")
        let since = try request.since(tags) ?? 0
        let limit = try request.number(
            "limit", in: 1...Self.maximumChangesPage, default: Self.defaultChangesPage)
        let seconds = try request.number(
            "wait", in: 0...Self.maximumWaitSeconds, default: 0)
        var watch: ListWatch?
        return .run { [self] call in
            // The watch begins before the list's version is read. Otherwise a change in between
            // would be missed.
            if seconds > 0, watch == nil { watch = service.watch(list, for: call) }
            return try changes(
                of: list, after: since, limit: limit, waitSeconds: seconds, call)
        }
    }

    private func changes(
        of list: String, after since: Int, limit: Int, waitSeconds: Int, _ call: Call
    ) throws -> Response {
        let position = try service.position(of: list, call.context)
        var page = ChangesPage(list: list, version: position.version, changes: [])
        if since < position.version {
            let changes = try service.changes(
                of: list, after: since, limit: limit, bytes: Self.changesPageBytes, call.context)
            guard let changes else { throw Problem(goneAfter: since, at: position.version) }
            if changes.hasOversizedChange {
                throw Problem(
                    .historyGone,
                    "The next change is larger than \(Self.changesPageBytes) bytes. Fetch the list.",
                    version: max(position.version, changes.last?.version ?? 0))
            }
            page.version = max(position.version, changes.last?.version ?? 0)
            page.changes = changes
        } else if !position.exists {
            throw ServiceError.listNotFound(list)
        } else if since > position.version {
            throw Problem(goneAfter: since, at: position.version)
        } else if waitSeconds > 0, !call.isTimeOver {
            call.wait(atMostSeconds: waitSeconds)
            throw service.waitForUpdates(call.context)
        }
        try access?.recheck(call.request)
        return page.response(tags)
    }
}

extension Problem {
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
