import DequeModule
import Synchronization

/// The lists in memory, bounded by bytes.
///
/// Over the bound, lists that were not asked for since the last look leave, oldest first (second
/// chance); one that still waits for a commit stays. A list that leaves is invalidated: whoever still
/// holds it asks again, and gets it as the store has it.
///
/// Locks: the cache's is never taken under a list's, and a list's is only tried under the cache's.
final class ListCache: Sendable {
    private struct State {
        var lists: [String: CachedList] = [:]
        /// All of them, and some that were forgotten, in the order in which they are looked at.
        var order: Deque<CachedList> = []
        var bytes = 0
    }

    private let limitBytes: Int
    private let state = Mutex(State())
    /// Whether there was not enough room when bytes were counted last.
    private let isFull = Atomic(false)

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    /// What lists take by now, in bytes.
    var bytes: Int { state.withLock(\.bytes) }

    /// How many lists are in memory.
    var count: Int { state.withLock(\.lists.count) }

    /// How many are kept for the order, those that were forgotten included.
    var orderCount: Int { state.withLock(\.order.count) }

    /// The list, to be read from the store where it is new here.
    func list(_ id: String) -> CachedList {
        state.withLock { state in
            if let list = state.lists[id] { return list }
            let list = CachedList(id: id)
            state.lists[id] = list
            state.order.append(list)
            return list
        }
    }

    /// The list, where it is in memory.
    func present(_ id: String) -> CachedList? { state.withLock { $0.lists[id] } }

    /// Puts a list in the place of one that was invalidated, unless it was asked for already.
    func replace(_ list: CachedList, with other: CachedList?) {
        remove(list)
        guard let other else { return }
        state.withLock { state in
            guard state.lists[other.id] == nil else { return }
            state.lists[other.id] = other
            state.order.append(other)
        }
    }

    /// Lets go of a list that was invalidated.
    func remove(_ list: CachedList) {
        let bytes = list.withLock { $0.takeChargedBytes() }
        state.withLock { state in
            state.bytes -= bytes
            if state.lists[list.id] === list { state.lists[list.id] = nil }
            // Nothing else empties the order below the bound, however many ids are asked for that
            // do not exist. Only once most of it can go: amortised O(1).
            if state.order.count > 2 * state.lists.count + 64 {
                state.order.removeAll { state.lists[$0.id] !== $0 }
            }
        }
    }

    /// Counts what a list has grown by, and makes room where there is not enough.
    func charge(_ bytes: Int) {
        // A read, mostly: nobody should wait for the others' lock to say nothing.
        guard bytes != 0 || isFull.load(ordering: .relaxed) else { return }
        let freed = state.withLock { state -> [CachedList] in
            state.bytes += bytes
            defer { isFull.store(state.bytes > limitBytes, ordering: .relaxed) }
            return state.bytes > limitBytes ? makeRoom(in: &state) : []
        }
        // Here, where no lock is held, the lists' memory is given back.
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
