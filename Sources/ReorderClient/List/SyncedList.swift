import ReorderEngine

/// A list of a server, on this device: shown at once, changed at once, kept the same.
///
/// What you read is the server's list with everything that was done here on top of it, by the very
/// rules of the server. What you do is on the screen and on the device's disk when the call returns,
/// and is sent as soon as the server can be reached, in the order in which it was done, each
/// operation once. Others' changes go beneath it.
///
/// All members can be used from any thread; the main one is fine: none waits for the network.
/// Closing, or letting go of the last reference, ends the exchange with the server; what was not sent
/// stays on the disk for the next time.
public final class SyncedList: Sendable {
    /// The list's id.
    public let id: String
    let runner: ListRunner

    init(id: String, runner: ListRunner) {
        self.id = id
        self.runner = runner
    }

    deinit { runner.stop() }

    // MARK: Reading

    /// The list as it is to be shown: a value that later changes don't touch. O(1).
    ///
    /// Ask it for rows, sections and places, each in O(log n).
    public var snapshot: ReorderableList {
        runner.read { $0.model?.displayed ?? ReorderableList(settings: ListSettings(title: "")) }
    }

    /// How many rows are visible. O(1).
    public var rowCount: Int { runner.read { $0.model?.displayed.rowCount ?? 0 } }

    /// The task at a visible row, or `nil` where there are fewer. O(log n).
    public subscript(row row: Int) -> ListTask? {
        runner.read { $0.model?.displayed.task(atRow: row) }
    }

    /// A task, visible or not, or `nil` where the list holds none of this id. O(log n).
    public subscript(task: TaskID) -> ListTask? {
        runner.read { $0.model?.displayed.task(task) }
    }

    // MARK: Watching

    /// What changes from now on, whoever does it, as a table view animates it.
    public var deltas: ListDeltas {
        let watcher = runner.watch()
        return ListDeltas(start: watcher?.start ?? snapshot, watcher: watcher)
    }

    /// What the server refuses. Each comes after it was taken back.
    ///
    /// What was refused while nobody listened, also before the app was started, comes first, to
    /// whoever listens first. The newest 10,000 of those are kept on the disk until then.
    public var refusals: AsyncStream<Refused> { runner.watchRefusals() }

    /// How things stand with the server.
    public var status: ListStatus {
        runner.read { $0.status }
    }

    /// How things stand with the server, now and whenever that changes; the newest where one is slow.
    public var statuses: AsyncStream<ListStatus> { runner.watchStatus() }

    /// Tries to reach the server at once: call it where the device has a network again, or the app
    /// comes to the front. Without it, the next try is at most a minute away.
    public func retryNow() { runner.update { $0.retryNow(at: $1) } }

    /// Ends the exchange with the server. What was not sent stays on the disk.
    public func close() { runner.stop() }
}
