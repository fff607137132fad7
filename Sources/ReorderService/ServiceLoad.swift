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
}

extension ListService {
    /// The current load. The numbers are read one after another. Complexity: O(lists in memory +
    /// reserved ids).
    package var load: ServiceLoad {
        let claims = claims.counts
        let restores = restores.counts
        let undos = undos.counts
        var pending = [
            "claimed keys": claims.held, "requests that wait for keys": claims.waiting,
            "restores of lists": restores.held, "restores that wait": restores.waiting,
            "reserved ids": reservations.count, "undos of the server": undos.ofServer,
            "undos of lists": undos.ofLists, "drags": drags.read { $0.drags.count },
            "watched lists": channels.names.count,
            "renderings": rendering.withLock { $0.count },
            "queued commits": committer.queue.withLock {
                $0.work.entries.count + $0.work.responses.count
            },
            "reads of history": history.waitingCount, "pieces of work": workers.waitingCount,
        ]
        if let shared {
            pending["lookups"] =
                shared.listStates.waitingCount + shared.holders.waitingCount
                + shared.responses.waitingCount
        }
        var load = ServiceLoad(
            pending: [:], lists: cache.count, evictionEntries: cache.orderCount,
            countedBytes: cache.bytes, listBytes: 0, responsesOfList: 0)
        for list in cache.lists {
            list.withLock { state in
                pending["pinned lists", default: 0] += state.pins
                // Those of a busy list are resumed when it is free, also if they have failed meanwhile.
                pending["parked requests", default: 0] += state.isBusy ? 0 : state.parked.count
                pending["earlier states", default: 0] += state.uselessBaseCount
                pending["busy lists", default: 0] += state.isBusy ? 1 : 0
                load.listBytes += state.chargedBytes
                load.responsesOfList = max(load.responsesOfList, state.responseCache.count)
            }
        }
        load.pending = pending
        return load
    }
}
