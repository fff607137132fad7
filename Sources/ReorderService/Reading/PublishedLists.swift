import DequeModule
import Synchronization

/// The durable lists in memory, with a limit in bytes: what all reads see, and what writes are
/// decided on.
///
/// Above the limit, lists that were not used recently are evicted, oldest first (second chance).
/// Evicting a list loses nothing: it is loaded again.
final class PublishedLists: Sendable {
    /// Only used with the lock.
    private final class Entry {
        var snapshot: Snapshot
        /// The bytes that are counted for the list.
        var bytes: Int
        /// Distinguishes the entry in `order` from those of the same list before.
        let number: Int
        /// Whether the list was used since it was last looked at for eviction.
        var isWarm = true

        init(_ snapshot: Snapshot, bytes: Int, number: Int) {
            self.snapshot = snapshot
            self.bytes = bytes
            self.number = number
        }
    }

    /// A list that is being loaded.
    private struct Load {
        var waiting: [Completion<Snapshot>] = []
        /// Whether the list was published after the load began.
        var isOutdated = false
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// All lists, and some that were removed, in the order in which they are checked for eviction.
        var order: Deque<(id: String, number: Int)> = []
        var lastNumber = 0
        var bytes = 0
        var loads: [String: Load] = [:]
        /// The number of writes that need a list. Such a list stays, also if it does not exist.
        var pins: [String: Int] = [:]
    }

    private let limitBytes: Int
    private let state = Mutex(State())

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// The memory of all lists in bytes.
    var bytes: Int { state.withLock(\.bytes) }
    var count: Int { state.withLock(\.entries.count) }
    /// The number of entries in the order of eviction, including removed lists.
    var orderCount: Int { state.withLock(\.order.count) }
    var pinCount: Int { state.withLock(\.pins.count) }
    var loadCount: Int { state.withLock(\.loads.count) }
    var snapshots: [Snapshot] { state.withLock { $0.entries.values.map(\.snapshot) } }

    /// The list, or nil if it is not in memory.
    func find(_ id: String) -> Snapshot? { state.withLock { Self.find(id, in: &$0) } }

    /// The lists at one moment; nil for those that are not in memory.
    func find(_ ids: [String]) -> [Snapshot?] {
        state.withLock { state in ids.map { Self.find($0, in: &state) } }
    }

    private static func find(_ id: String, in state: inout State) -> Snapshot? {
        guard let entry = state.entries[id] else { return nil }
        entry.isWarm = true
        return entry.snapshot
    }

    /// Publishes new versions, all at one moment.
    func publish(_ snapshots: [Snapshot]) {
        let released = state.withLock { state -> [Snapshot] in
            var released: [Snapshot] = []
            for snapshot in snapshots {
                if !state.loads.isEmpty { state.loads[snapshot.id]?.isOutdated = true }
                put(snapshot, in: &state, &released)
            }
            makeRoom(in: &state, &released)
            return released
        }
        // The memory of large lists is released here, without the lock.
        withExtendedLifetime(released) {}
    }

    /// Counts the growth of a snapshot's renderings.
    func recount(_ snapshot: Snapshot) {
        let bytes = snapshot.byteCount
        let released = state.withLock { state -> [Snapshot] in
            guard let entry = state.entries[snapshot.id], entry.snapshot === snapshot else {
                return []
            }
            state.bytes += bytes - entry.bytes
            entry.bytes = bytes
            var released: [Snapshot] = []
            makeRoom(in: &state, &released)
            return released
        }
        withExtendedLifetime(released) {}
    }

    /// Removes a list that the store does not have like this.
    func remove(_ snapshot: Snapshot) {
        let released = state.withLock { state -> [Snapshot] in
            var released: [Snapshot] = []
            if state.entries[snapshot.id]?.snapshot === snapshot {
                remove(snapshot.id, from: &state, &released)
            }
            return released
        }
        withExtendedLifetime(released) {}
    }

    // MARK: Loading

    /// Waits for a list that is not in memory.
    ///
    /// - Parameter done: called when the list is loaded, also if it does not exist.
    /// - Returns: whether the caller must load the list and call `loaded`.
    func wait(
        for id: String, _ done: @escaping Completion<Snapshot>
    ) -> Bool {
        state.withLock { state in
            let isFirst = state.loads[id] == nil
            state.loads[id, default: Load()].waiting.append(done)
            return isFirst
        }
    }

    /// Ends a load.
    ///
    /// - Parameter result: what the store had. All of it must be published by now.
    /// - Returns: false if the list was published meanwhile and has left memory again. Then the caller
    ///   must load it again.
    func loaded(_ id: String, _ result: Result<Snapshot, ServiceError>) -> Bool {
        var released: [Snapshot] = []
        let ended = state.withLock { state -> (Load, Result<Snapshot, ServiceError>)? in
            guard let load = state.loads[id] else { return nil }
            if let entry = state.entries[id] {
                state.loads[id] = nil
                return (load, .success(entry.snapshot))
            }
            if load.isOutdated, case .success = result {
                state.loads[id]?.isOutdated = false
                return nil
            }
            state.loads[id] = nil
            if case .success(let snapshot) = result {
                put(snapshot, in: &state, &released)
                makeRoom(in: &state, &released)
            }
            return (load, result)
        }
        guard let (load, result) = ended else { return false }
        for done in load.waiting { done(result) }
        return true
    }

    // MARK: Lists that stay

    /// Keeps a list in memory until it is unpinned.
    func pin(_ id: String) { state.withLock { $0.pins[id, default: 0] += 1 } }

    func unpin(_ id: String) {
        let released = state.withLock { state -> [Snapshot] in
            let left = state.pins[id, default: 1] - 1
            state.pins[id] = left > 0 ? left : nil
            var released: [Snapshot] = []
            if left == 0, let entry = state.entries[id] {
                if !entry.snapshot.exists { remove(id, from: &state, &released) }
                makeRoom(in: &state, &released)
            }
            return released
        }
        withExtendedLifetime(released) {}
    }

    // MARK: Under the lock

    private func put(_ snapshot: Snapshot, in state: inout State, _ released: inout [Snapshot]) {
        let id = snapshot.id
        // A list that does not exist needs no memory, unless a write is about to create it.
        let known = state.entries[id]
        if let known, known.snapshot.version > snapshot.version { return }
        guard snapshot.exists || state.pins[id] != nil else {
            return remove(id, from: &state, &released)
        }
        let bytes = snapshot.byteCount
        if let known {
            released.append(known.snapshot)
            state.bytes += bytes - known.bytes
            (known.snapshot, known.bytes, known.isWarm) = (snapshot, bytes, true)
        } else {
            state.lastNumber += 1
            state.entries[id] = Entry(snapshot, bytes: bytes, number: state.lastNumber)
            state.order.append((id, state.lastNumber))
            state.bytes += bytes
        }
    }

    private func remove(_ id: String, from state: inout State, _ released: inout [Snapshot]) {
        guard let entry = state.entries.removeValue(forKey: id) else { return }
        released.append(entry.snapshot)
        state.bytes -= entry.bytes
        // It waits until most entries can be removed: amortized O(1).
        if state.order.count > 2 * state.entries.count + 64 {
            let entries = state.entries
            state.order.removeAll { entries[$0.id]?.number != $0.number }
        }
    }

    private func makeRoom(in state: inout State, _ released: inout [Snapshot]) {
        guard state.bytes > limitBytes else { return }
        for _ in 0..<(2 * state.order.count) {
            guard state.bytes > limitBytes, let next = state.order.popFirst() else { break }
            guard let entry = state.entries[next.id], entry.number == next.number else { continue }
            if entry.isWarm || state.pins[next.id] != nil {
                entry.isWarm = false
                state.order.append(next)
            } else {
                state.entries[next.id] = nil
                state.bytes -= entry.bytes
                released.append(entry.snapshot)
            }
        }
    }
}
