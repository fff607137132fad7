import DequeModule
import Synchronization

/// The lists in memory, with a limit in bytes.
///
/// Above the limit, lists that were not used recently are evicted, oldest first (second chance). A
/// list that waits for a commit is kept. An evicted list is invalidated: requests that still have
/// it look it up again and load it.
///
/// Lock order: the cache's lock is never taken under a list's lock. Under the cache's lock, a
/// list's lock is only tried.
final class ListCache: Sendable {
    private struct State {
        var lists: [String: CachedList] = [:]
        /// All lists, and some that were removed, in the order in which they are checked for
        /// eviction.
        var order: Deque<CachedList> = []
        var bytes = 0
    }

    private let limitBytes: Int
    private let state = Mutex(State())
    /// Whether the limit was exceeded at the last count.
    private let isFull = Atomic(false)

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    /// The memory of all lists in bytes.
    var bytes: Int { state.withLock(\.bytes) }

    /// The number of lists in memory.
    var count: Int { state.withLock(\.lists.count) }

    /// The number of entries in `order`, including removed lists.
    var orderCount: Int { state.withLock(\.order.count) }

    /// The lists in memory.
    var lists: [CachedList] { state.withLock { Array($0.lists.values) } }

    /// Returns the list, or a new one that must be loaded from the store.
    func list(_ id: String) -> CachedList {
        state.withLock { state in
            if let list = state.lists[id] { return list }
            let list = CachedList(id: id)
            state.lists[id] = list
            state.order.append(list)
            return list
        }
    }

    /// Returns the list, or nil if it is not in memory.
    func present(_ id: String) -> CachedList? { state.withLock { $0.lists[id] } }

    /// Replaces an invalidated list, unless it has been replaced already.
    func replace(_ list: CachedList, with other: CachedList?) {
        remove(list)
        guard let other else { return }
        state.withLock { state in
            guard state.lists[other.id] == nil else { return }
            state.lists[other.id] = other
            state.order.append(other)
        }
    }

    /// Removes an invalidated list.
    func remove(_ list: CachedList) {
        let bytes = list.withLock { $0.takeChargedBytes() }
        state.withLock { state in
            state.bytes -= bytes
            if state.lists[list.id] === list { state.lists[list.id] = nil }
            // Below the limit, only this removes the entries of removed lists, and each request for
            // a missing id adds one. It waits until most entries can be removed: amortized O(1).
            if state.order.count > 2 * state.lists.count + 64 {
                state.order.removeAll { state.lists[$0.id] !== $0 }
            }
        }
    }

    /// Counts a list's growth, and evicts lists above the limit.
    func charge(_ bytes: Int) {
        // Most requests are reads without growth. They don't need the lock.
        guard bytes != 0 || isFull.load(ordering: .relaxed) else { return }
        let freed = state.withLock { state -> [CachedList] in
            state.bytes += bytes
            defer { isFull.store(state.bytes > limitBytes, ordering: .relaxed) }
            return state.bytes > limitBytes ? makeRoom(in: &state) : []
        }
        // The lists' memory is released here, without a lock.
        _ = freed
    }

    private func makeRoom(in state: inout State) -> [CachedList] {
        var freed: [CachedList] = []
        for _ in 0..<(2 * state.order.count) {
            guard state.bytes > limitBytes, let list = state.order.popFirst() else { break }
            guard state.lists[list.id] === list else { continue }
            guard let bytes = list.evictIfCold() else {
                state.order.append(list)
                continue
            }
            state.bytes -= bytes
            state.lists[list.id] = nil
            freed.append(list)
        }
        return freed
    }
}
