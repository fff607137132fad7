import ReorderEngine
import Synchronization

/// The ids of tasks that were brought into a list by versions that are not durable yet.
///
/// Ids are unique over all lists, and the store knows the durable ones only. Whoever brings an id
/// into a list reserves it here first and asks the store second; the reservation goes once the
/// store has the id (or never will have it). So of two at once, one sees the other.
final class TaskReservations: Sendable {
    private struct Holder {
        let list: CachedList
        /// A list may bring in an id, delete it and bring it in again before the first is durable.
        var count: Int
    }

    private let holders = Mutex<[TaskID: Holder]>([:])

    /// Reserves all ids for a list, or none.
    ///
    /// In pieces, so that nobody waits long for the lock. Of two that want the same id one gets it; if
    /// both have some that the other wants, both may be refused, and ask again.
    ///
    /// - Returns: a list that has reserved one of them; `nil` where all went well.
    func reserve(_ ids: [TaskID], for list: CachedList) -> CachedList? {
        for start in stride(from: 0, to: ids.count, by: Self.piece) {
            let piece = ids[start..<min(start + Self.piece, ids.count)]
            let holder = holders.withLock { holders -> CachedList? in
                for id in piece {
                    if let holder = holders[id], holder.list !== list { return holder.list }
                }
                for id in piece { holders[id, default: Holder(list: list, count: 0)].count += 1 }
                return nil
            }
            if let holder {
                release(ids[..<start], of: list)
                return holder
            }
        }
        return nil
    }

    func release(_ ids: some RandomAccessCollection<TaskID>, of list: CachedList) {
        var rest = ids[...]
        while !rest.isEmpty {
            holders.withLock { holders in
                for id in rest.prefix(Self.piece) {
                    guard let holder = holders[id], holder.list === list else { continue }
                    holders[id] =
                        holder.count > 1 ? Holder(list: list, count: holder.count - 1) : nil
                }
            }
            rest = rest.dropFirst(Self.piece)
        }
    }

    /// How many ids are handled in one hold of the lock.
    private static let piece = 1_000

    /// Releases whatever a list holds. O(reservations of all lists).
    func releaseAll(of list: CachedList) {
        holders.withLock { holders in
            holders = holders.filter { $0.value.list !== list }
        }
    }
}
