import ReorderService
import Synchronization

/// What earlier requests have found out about lists, so that not each one reads all tasks.
final class KnownLists: Sendable {
    /// A version of a list whose keys ascend.
    private struct Ascending {
        var version: Int
        /// When equal keys have to be looked at again, in milliseconds since 1970.
        var nextCheck: Int64?
    }

    private struct State {
        var ascending: [String: Ascending] = [:]
        /// Of the last versions that were looked at.
        var indexes: [String: CalendarIndex] = [:]
        /// Of all indexes.
        var bytes = 0
    }

    private static let maximumLists = 10_000
    private static let maximumBytes = 32 << 20

    private let state = Mutex(State())

    // MARK: Keys

    func ascend(in list: String, at version: Int, now: Int64) -> Bool {
        guard let known = state.withLock({ $0.ascending[list] }) else { return false }
        return known.version == version && known.nextCheck.map { now < $0 } ?? true
    }

    func note(_ list: String, ascendsAt version: Int, until nextCheck: Int64?) {
        state.withLock { state in
            if state.ascending.count >= Self.maximumLists { state.ascending.removeAll() }
            state.ascending[list] = Ascending(version: version, nextCheck: nextCheck)
        }
    }

    /// Notes that a change has left the keys as they were.
    func note(_ list: String, from version: Int, to next: Int, until nextCheck: Int64?) {
        state.withLock { state in
            guard let known = state.ascending[list], known.version == version else { return }
            let check = [known.nextCheck, nextCheck].compactMap(\.self).min()
            state.ascending[list] = Ascending(version: next, nextCheck: check)
        }
    }

    // MARK: Tasks

    /// The index of a list. It is made for each request, and takes from the last one what has not changed.
    func index(of list: VersionedList) -> CalendarIndex {
        let index = CalendarIndex(
            of: list.list, former: state.withLock { $0.indexes[list.id] })
        guard index.bytes <= Self.maximumBytes else { return index }
        state.withLock { state in
            state.bytes += index.bytes - (state.indexes[list.id]?.bytes ?? 0)
            if state.bytes > Self.maximumBytes {
                state.indexes.removeAll()
                state.bytes = index.bytes
            }
            state.indexes[list.id] = index
        }
        return index
    }
}
