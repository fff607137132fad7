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
package final class ListChannel: Channel {
    package let list: String
    /// By the versions of the changes.
    package let renderings = RecentRenderings<ClosedRange<Int>>()
    private let channels: ListChannels
    private let state = Mutex(State())

    private struct State {
        /// The list's last known durable version.
        var version = 0
        /// Whether the list exists at that version.
        var exists = false
        var recent = RecentChanges<StoredChange>(maximumBytes: ListChannel.maximumBytes)
        var notices: Deque<ListNotice> = []
        var noticesBytes = 0
        var lastNotice = 0
        var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    init(_ list: String, in channels: ListChannels) {
        self.list = list
        self.channels = channels
    }

    deinit { channels.remove(list) }

    package func add(_ watch: Watch, _ onNews: @escaping @Sendable () -> Void) {
        state.withLock { $0.watchers[ObjectIdentifier(watch)] = onNews }
    }

    package func remove(_ watch: Watch) {
        let watcher = state.withLock { $0.watchers.removeValue(forKey: ObjectIdentifier(watch)) }
        // Released outside the lock, because releasing it can release other objects.
        withExtendedLifetime(watcher) {}
    }

    // MARK: Publishing

    /// Adds a change that has become durable. The versions of a list arrive in order.
    func publish(_ commit: ListCommit) {
        learn(
            ListPosition(version: commit.version, exists: commit.stateAfter != .deleted),
            [StoredChange(version: commit.version, bytes: commit.change)])
    }

    /// Updates the list's state, if this version is newer.
    ///
    /// - Parameter changes: the changes that lead from a known version to this one, or none.
    func learn(_ position: ListPosition, _ changes: [StoredChange] = []) {
        notify { state in
            let isNewer = position.version > state.version
            // Each new watcher reads the list's state. If this state is known already, the other
            // watchers need no notification.
            guard isNewer || !changes.isEmpty else { return false }
            if !state.exists || !position.exists { state.recent.removeAll() }
            for change in changes { state.recent.append(change) }
            if isNewer { (state.version, state.exists) = (position.version, position.exists) }
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
                || state.noticesBytes > Self.maximumBytes && state.notices.count > 1
            {
                state.noticesBytes -= state.notices.removeFirst().data.count
            }
            return true
        }
    }

    /// Wakes the watchers without news.
    func wakeWatchers() { notify { _ in true } }

    /// The maximum size of the changes in memory, and of the notices.
    static let maximumBytes = 64 << 10
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

    /// Returns the changes after a version. Without such changes, returns the notices after a
    /// number.
    ///
    /// Complexity: O(size of the result).
    ///
    /// - Parameter bytes: the maximum size of the changes, unless the first change alone is larger.
    package func pendingUpdates(after version: Int, notice: Int, bytes: Int) -> PendingUpdates {
        state.withLock { state in
            if version < state.version {
                // A version can be known before its change has arrived from another server. Then a page without that change would
                // have the tag of the whole page.
                guard state.recent.lastNumber == state.version else { return .older }
                let changes = state.recent.changes(after: version, bytes: bytes)
                return changes.isEmpty ? .older : .changes(changes)
            }
            guard state.exists else { return .deleted }
            let notices = state.notices.drop { $0.number <= notice }
            return notices.isEmpty ? .none : .notices(Array(notices))
        }
    }

    /// The list's last known version: 0 before `ListService.position` was called.
    package var position: ListPosition {
        state.withLock { ListPosition(version: $0.version, exists: $0.exists) }
    }

    /// The number of the latest notice. A new watcher receives the notices after it.
    package var lastNotice: Int { state.withLock(\.lastNotice) }
}
