import DequeModule
import ReorderStore
import Synchronization

/// What has become of one list lately, for those who watch it. Exists while someone does.
///
/// It carries two kinds. *Changes* are durable and numbered: a watcher keeps the last version that it
/// has seen and asks for what is after it, here or, further back, in the history; so there is neither
/// gap nor repeat between the two. *Notices* are of the moment: numbered in this process only, kept
/// nowhere, and lost to whoever is too slow.
///
/// Locks: the channel's is taken last, and no list's is taken under it.
final class ListChannel: Sendable {
    let list: String
    private let channels: SharedObjects<ListChannel>
    private let state = Mutex(State())

    private struct State {
        /// The list's last durable version that is known here.
        var version = 0
        /// Whether the list exists at that version.
        var exists = false
        var recent = RecentChanges()
        var notices: Deque<ListNotice> = []
        var lastNotice = 0
        var watchers: [ObjectIdentifier: any Resumable] = [:]
    }

    init(_ list: String, in channels: SharedObjects<ListChannel>) {
        self.list = list
        self.channels = channels
    }

    deinit { channels.forget(list) }

    func add(_ watch: ListWatch, _ observer: any Resumable) {
        state.withLock { $0.watchers[ObjectIdentifier(watch)] = observer }
    }

    func remove(_ watch: ListWatch) {
        // Released outside the lock, with all that it holds.
        _ = state.withLock { $0.watchers.removeValue(forKey: ObjectIdentifier(watch)) }
    }

    // MARK: What happens

    /// Takes a change that has just become durable. Versions of a list come in order.
    func publish(_ commit: ListCommit) {
        tell { state in
            state.recent.append(StoredChange(version: commit.version, bytes: commit.change))
            guard commit.version > state.version else { return true }
            state.version = commit.version
            state.exists = commit.outcome != .deleted
            return true
        }
    }

    /// Takes what was found out about the list otherwise.
    ///
    /// - Parameter changes: those that led there from a version that was known here, or none.
    func learn(_ position: ListPosition, _ changes: [StoredChange] = []) {
        tell { state in
            // Each watcher that begins asks where the list stands: if that is known, nobody need be told.
            guard position.version > state.version else { return false }
            for change in changes { state.recent.append(change) }
            state.version = position.version
            state.exists = position.exists
            return true
        }
    }

    func announce(event: String, _ data: [UInt8]) {
        tell { state in
            state.lastNotice += 1
            state.notices.append(
                ListNotice(number: state.lastNotice, event: event, data: data))
            if state.notices.count > Self.keptNotices { state.notices.removeFirst() }
            return true
        }
    }

    /// A watcher that is further behind has missed some.
    private static let keptNotices = 256

    /// - Parameter change: returns whether the watchers are to be called.
    private func tell(_ change: (inout State) -> Bool) {
        let watchers = state.withLock { state in
            change(&state) ? Array(state.watchers.values) : []
        }
        for watcher in watchers { watcher.resume() }
    }

    // MARK: What a watcher asks

    func news(after version: Int, notice: Int, bytes: Int) -> ListNews {
        state.withLock { state in
            if version < state.version {
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
