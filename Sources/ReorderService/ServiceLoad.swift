/// What the service keeps in memory at one moment. Tests compare it with its bounds.
package struct ServiceLoad: Sendable {
    /// The numbers of objects that exist for requests, undos, drags, watchers and commits, by name.
    /// All are 0 while none of these exists.
    package var pending: [String: Int]
    /// The number of lists in memory, and of the entries in the order of their eviction.
    package var lists: Int
    package var evictionEntries: Int
    /// The memory of the lists as the cache counts it, and the sum over the lists.
    package var countedBytes: Int
    package var listBytes: Int
    /// The largest number of cached responses of a list.
    package var responsesOfList: Int

    /// The kinds of `pending` that still exist, except those that clients hold: what a service keeps although no request
    /// is left.
    package var keptForRequests: [String: Int] {
        pending.filter { $0.value != 0 && !["drags", "watched lists"].contains($0.key) }
    }
}

extension ListService {
    /// The current load. The numbers are read one after another. Complexity: O(lists in memory).
    package var load: ServiceLoad {
        let undos = undos.counts
        let snapshots = durable.published.snapshots
        var pending = [
            "undos of the server": undos.ofServer, "undos of lists": undos.ofLists,
            "drags": drags.read { $0.drags.count }, "watched lists": channels.lists.count,
            "restores": restores.count, "renderings": renderings.count,
            "results that wait for publication": publication.waitingCount,
            "pinned lists": durable.published.pinCount, "loads": durable.published.loadCount,
            "reads of history": history.waitingCount, "pieces of work": workers.waitingCount,
            "lookups": (currentLists?.waitingCount ?? 0) + (holderLoader?.waitingCount ?? 0),
        ]
        pending.merge(writer.load) { $0 + $1 }
        return ServiceLoad(
            pending: pending, lists: snapshots.count,
            evictionEntries: durable.published.orderCount, countedBytes: durable.published.bytes,
            listBytes: snapshots.reduce(0) { $0 + $1.byteCount },
            responsesOfList: snapshots.map { $0.renderings.withLock(\.count) }.max() ?? 0)
    }
}
