import ReorderEngine
import Synchronization

/// The ids of tasks that were brought into a list by versions that are not durable yet.
///
/// Ids are unique over all lists, and the store knows the durable ones only. Whoever brings an id
/// into a list reserves it here first and asks the store second; the reservation goes once the
/// store has the id (or never will have it). So of two at once, one sees the other.
final class TaskReservations: Sendable {
    private struct Holder {
        let list: LoadedList
        /// A list may bring in an id, delete it and bring it in again before the first is durable.
        var count: Int
    }

    private let holders = Mutex<[TaskID: Holder]>([:])

    /// Reserves all ids for a list, or none.
    ///
    /// - Returns: a list that has reserved one of them; `nil` where all went well.
    func reserve(_ ids: [TaskID], for list: LoadedList) -> LoadedList? {
        guard !ids.isEmpty else { return nil }
        return holders.withLock { holders in
            for id in ids {
                if let holder = holders[id], holder.list !== list { return holder.list }
            }
            for id in ids { holders[id, default: Holder(list: list, count: 0)].count += 1 }
            return nil
        }
    }

    func release(_ ids: [TaskID], of list: LoadedList) {
        guard !ids.isEmpty else { return }
        holders.withLock { holders in
            for id in ids {
                guard let holder = holders[id], holder.list === list else { continue }
                holders[id] = holder.count > 1 ? Holder(list: list, count: holder.count - 1) : nil
            }
        }
    }

    /// Releases whatever a list holds. O(reservations of all lists).
    func releaseAll(of list: LoadedList) {
        holders.withLock { holders in
            holders = holders.filter { $0.value.list !== list }
        }
    }
}
