import ReorderEngine

/// A server's list on this device: displayed and changed immediately, and kept in sync.
///
/// The content is the server's list with this device's pending operations applied to it, by the
/// same rules as on the server. When a call returns, its operation is visible and in a file on the
/// device. Operations are sent in order, as soon as the server can be reached. Each is applied
/// exactly once. Other clients' changes are merged below the pending operations.
///
/// All members can be used from any thread, including the main thread: none waits for the network.
/// Closing the list, or releasing its last reference, ends the communication with the server;
/// operations that were not sent stay in the file for the next time.
public final class SyncedList: Sendable {
    /// The list's id.
    public let id: String
    let runner: ListRunner
    /// The list of folds of the person, until this list is closed; nil: tasks are folded for
    /// everyone.
    let folds: Lock<SyncedList?>

    init(id: String, runner: ListRunner, folds: SyncedList? = nil) {
        self.id = id
        self.runner = runner
        self.folds = Lock(folds)
    }

    deinit { runner.stop() }

    // MARK: Reading

    /// The list to display: a value that later changes do not affect. O(1).
    ///
    /// It answers queries for rows, sections and placements, each in O(log n). If the client has
    /// folds, `collapsed` and the rows are those that the person sees.
    public var snapshot: ReorderableList {
        runner.read { $0.shown ?? ReorderableList(settings: ListSettings(title: "")) }
    }

    /// The number of visible rows. O(1).
    public var rowCount: Int { runner.read { $0.shown?.rowCount ?? 0 } }

    /// The task at a visible row, or nil if the list has fewer rows. O(log n).
    public subscript(row row: Int) -> ListTask? {
        runner.read { $0.shown?.task(atRow: row) }
    }

    /// A task, visible or not; nil if the list does not contain it. O(log n).
    public subscript(task: TaskID) -> ListTask? {
        runner.read { $0.shown?.task(task) }
    }

    // MARK: Watching

    /// The changes from now on, of this and of other clients, as a table view animates them.
    public var deltas: ListDeltas {
        let subscription = runner.subscribe()
        return ListDeltas(start: subscription?.start ?? snapshot, subscription: subscription)
    }

    /// The operations that the server refused, each after it was undone.
    ///
    /// Refusals that occurred while there was no consumer, even before the app started, are
    /// delivered first, to the first consumer. The newest 10,000 of them are stored on the device
    /// until then.
    public var refusals: AsyncStream<Refused> { runner.refusalStream() }

    /// The state of the synchronization.
    public var status: ListStatus {
        runner.read { $0.status }
    }

    /// The state of the synchronization, now and after each change. A slow consumer receives only
    /// the newest state.
    public var statuses: AsyncStream<ListStatus> { runner.statusStream() }

    /// Contacts the server immediately. Call it when the device gets a network connection, or the
    /// app comes to the foreground; otherwise the next attempt is up to a minute away.
    public func retryNow() { runner.update { $0.retryNow(at: $1) } }

    /// Ends the communication with the server. Operations that were not sent stay on the device.
    public func close() {
        runner.stop()
        // The last list that is closed also ends the communication for the folds.
        _ = folds.withLock { $0.take() }
    }
}
