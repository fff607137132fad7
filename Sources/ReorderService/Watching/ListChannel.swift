import DequeModule
import ReorderStore
import Synchronization

/// The recent changes and notices of one list, for its watchers. It exists while the list has
/// watchers.
///
/// A *change* is durable and has a version. A watcher remembers the last version that it has seen,
/// and requests the changes after it from here or from the stored history. So it misses and repeats
/// no change. A *notice* is temporary and not stored. Its number is valid only in this process, and
/// a slow watcher can miss it.
///
/// Lock order: the channel's lock comes last.
final class ListChannel: Sendable {
    let list: String
    private let channels: WeakRegistry<ListChannel>
    private let state = Mutex(State())

    private struct State {
        /// The list's last known durable version.
        var version = 0
        /// Whether the list exists at that version.
        var exists = false
        var recent = RecentChanges()
        var notices: Deque<ListNotice> = []
        var noticesBytes = 0
        var lastNotice = 0
        var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    init(_ list: String, in channels: WeakRegistry<ListChannel>) {
        self.list = list
        self.channels = channels
    }

    deinit { channels.remove(list) }

    func add(_ watch: ListWatch, _ onNews: @escaping @Sendable () -> Void) {
        state.withLock { $0.watchers[ObjectIdentifier(watch)] = onNews }
    }

    func remove(_ watch: ListWatch) {
        let watcher = state.withLock { $0.watchers.removeValue(forKey: ObjectIdentifier(watch)) }
        // Released outside the lock, because releasing it can release other objects.
        withExtendedLifetime(watcher) {}
    }

    // MARK: Publishing

    /// Adds a change that has become durable. The versions of a list arrive in order.
    func publish(_ commit: ListCommit) {
        notify { state in
            if !state.exists || commit.stateAfter == .deleted { state.recent.removeAll() }
            state.recent.append(StoredChange(version: commit.version, bytes: commit.change))
            guard commit.version > state.version else { return true }
            state.version = commit.version
            state.exists = commit.stateAfter != .deleted
            return true
        }
    }

    /// Updates the list's state, if this version is newer.
    ///
    /// - Parameter changes: the changes that lead from a known version to this one, or none.
    func learn(_ position: ListPosition, _ changes: [StoredChange] = []) {
        notify { state in
            // Each new watcher reads the list's state. If this state is known already, the other
            // watchers need no notification.
            guard position.version > state.version else { return false }
            if !state.exists || !position.exists { state.recent.removeAll() }
            for change in changes { state.recent.append(change) }
            state.version = position.version
            state.exists = position.exists
            return true
        }
    }

    /// Adds a notice.
    ///
    /// - Parameter data: JSON on one line.
    func announce(_ data: [UInt8]) {
        notify { state in
            state.lastNotice += 1
            state.notices.append(ListNotice(number: state.lastNotice, data: data))
            state.noticesBytes += data.count
            while state.notices.count > Self.keptNotices
                || state.noticesBytes > RecentChanges.maximumBytes && state.notices.count > 1
            {
                state.noticesBytes -= state.notices.removeFirst().data.count
            }
            return true
        }
    }

    /// Wakes the watchers without news.
    func wakeWatchers() { notify { _ in true } }

    /// The number of notices that are kept, if they are not too large. A watcher that is further
    /// behind misses some.
    static let keptNotices = 256

    /// - Parameter update: returns whether to notify the watchers.
    private func notify(_ update: (inout State) -> Bool) {
        let watchers = state.withLock { state in
            update(&state) ? Array(state.watchers.values) : []
        }
        for onNews in watchers { onNews() }
    }

    // MARK: Reading

    func pendingUpdates(after version: Int, notice: Int, bytes: Int) -> PendingUpdates {
        state.withLock { state in
            if version < state.version {
                // A version can be known before its change has arrived from another server. Then a page without that change would
                // have the tag of the whole page.
                guard state.recent.lastVersion == state.version else { return .older }
                let changes = state.recent.changes(after: version, bytes: bytes)
                return changes.isEmpty ? .older : .changes(changes)
            }
            guard state.exists else { return .deleted }
            let notices = state.notices.drop { $0.number <= notice }
            return notices.isEmpty ? .none : .notices(Array(notices))
        }
    }

    var position: ListPosition {
        state.withLock { ListPosition(version: $0.version, exists: $0.exists) }
    }

    var lastNotice: Int { state.withLock(\.lastNotice) }
}
