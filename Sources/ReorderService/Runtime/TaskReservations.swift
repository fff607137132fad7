import ReorderEngine
import Synchronization

/// The ids of tasks that were inserted by versions that are not durable yet, or that a request in
/// progress is about to insert.
///
/// Task ids are unique over all lists, and the store knows only the durable ones. Before a list
/// inserts an id, it is first reserved here and then looked up in the store. The reservation ends
/// when the insertion is durable or has failed. So one of two concurrent insertions detects the
/// other.
final class TaskReservations: Sendable {
    private struct Holder {
        let list: CachedList
        /// A list can insert an id, delete it and insert it again before the first insertion is
        /// durable.
        var count: Int
    }

    /// Several dictionaries, because a dictionary that grows moves all its entries. With a single
    /// one, that would take too long under the lock.
    private struct Holders {
        private var parts = [[TaskID: Holder]](repeating: [:], count: 64)

        subscript(id: TaskID) -> Holder? {
            get { parts[Self.part(of: id)][id] }
            set { parts[Self.part(of: id)][id] = newValue }
        }

        var count: Int { parts.reduce(0) { $0 + $1.count } }

        private static func part(of id: TaskID) -> Int { Int(UInt(bitPattern: id.hashValue) % 64) }

        mutating func removeAll(of list: CachedList) {
            for part in parts.indices where parts[part].contains(where: { $0.value.list === list })
            {
                parts[part] = parts[part].filter { $0.value.list !== list }
            }
        }
    }

    private let holders = Mutex(Holders())

    /// The maximum number of ids that are handled each time the lock is taken.
    private let maximumPiece: Int

    /// - Parameter piece: see `PieceSizes.reservedIDs`.
    init(piece: Int = PieceSizes().reservedIDs) { maximumPiece = piece }

    /// The number of reserved ids.
    var count: Int { holders.withLock(\.count) }

    /// Reserves all ids for a list, or none.
    ///
    /// It takes the lock for one part of the ids at a time, so that no thread waits long. If two
    /// lists want the same id, one of them gets it. If each has reserved an id that the other
    /// wants, both may be refused. Their requests then try again.
    ///
    /// - Returns: a list that has reserved one of the ids; nil on success.
    func reserve(_ ids: [TaskID], for list: CachedList) -> CachedList? {
        for start in stride(from: 0, to: ids.count, by: maximumPiece) {
            let piece = ids[start..<min(start + maximumPiece, ids.count)]
            let holder = holders.withLock { holders -> CachedList? in
                for id in piece {
                    if let holder = holders[id], holder.list !== list { return holder.list }
                }
                for id in piece {
                    holders[id] = Holder(list: list, count: (holders[id]?.count ?? 0) + 1)
                }
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
                for id in rest.prefix(maximumPiece) {
                    guard let holder = holders[id], holder.list === list else { continue }
                    holders[id] =
                        holder.count > 1 ? Holder(list: list, count: holder.count - 1) : nil
                }
            }
            rest = rest.dropFirst(maximumPiece)
        }
    }

    /// Releases all reservations of a list. O(reservations of all lists).
    func releaseAll(of list: CachedList) {
        holders.withLock { $0.removeAll(of: list) }
    }
}
