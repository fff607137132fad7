import ReorderEngine

/// A server's list on this device: displayed and changed immediately, and kept in sync.
///
/// The content is the server's list with this device's pending operations applied to it, by the
/// same rules as on the server. When a call returns, its operation is visible and in a file on the
/// device. Operations are sent in order, as soon as the server can be reached. Each is applied
/// exactly once. Other clients' changes are merged below the pending operations.
///
/// All members can be used from any thread, including the main thread: none waits for the network.
///
/// Each object that ``ReorderClient/ReorderClient/list(_:)`` returns is used and closed on its own; objects of the same list show the
/// same state. The list is kept in sync while one of them, or one of their streams, is in use. If the last one is released,
/// the client first sends the operations that wait.
public final class SyncedList: Sendable {
    /// The list's id.
    public let id: String
    let runner: ListRunner
    let handle: Int

    init(id: String, runner: ListRunner, handle: Int) {
        self.id = id
        self.runner = runner
        self.handle = handle
    }

    deinit { runner.closeSoon(handle) }

    // MARK: Reading

    /// The list to display: a value that later changes do not affect. O(1).
    ///
    /// It answers queries for rows, sections and placements, each in O(log n). If the client has
    /// folds, `collapsed` and the rows are those that the person sees.
    public var snapshot: ReorderableList {
        runner.read { $0.shown ?? ReorderableList(settings: ListSettings(title: "")) }
    }

    /// The number of visible rows. O(1).
    package var rowCount: Int { runner.read { $0.shown?.rowCount ?? 0 } }

    /// The task at a visible row, or nil if the list has fewer rows. O(log n).
    package subscript(row row: Int) -> ListTask? {
        runner.read { $0.shown?.task(atRow: row) }
    }

    /// A task, visible or not; nil if the list does not contain it. O(log n).
    package subscript(task: TaskID) -> ListTask? {
        runner.read { $0.shown?.task(task) }
    }

    // MARK: Watching

    /// The list now, and after each change of this and of other clients, until it is closed. A slow consumer receives only the newest
    /// state.
    public var snapshots: AsyncStream<ReorderableList> {
        let deltas = deltas
        let (stream, continuation) = AsyncStream.makeStream(
            of: ReorderableList.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(deltas.start)
        let task = Task {
            for await delta in deltas { continuation.yield(delta.after) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// The changes from now on, of this and of other clients, as a table view animates them.
    package var deltas: ListDeltas {
        let subscription = runner.subscribe(handle)
        return ListDeltas(
            start: subscription.start, subscription: subscription, list: self)
    }

    /// The operations that the server refused, each after it was undone: first those that were not acknowledged yet, even from
    /// before the app started, then each further one. The newest 10,000 are stored on the device until ``acknowledge(_:)``.
    package var refusals: AsyncStream<Refused> { runner.refusalStream(handle, of: self) }

    /// The refusals that were not acknowledged yet, oldest first. O(refusals).
    public var unacknowledgedRefusals: [Refused] { runner.read(\.unacknowledgedRefusals) }

    /// Removes refusals from the device, for example after the person has seen them. O(stored refusals).
    public func acknowledge(_ refusals: some Sequence<Refused>) {
        let ids = Set(refusals.lazy.map(\.id))
        runner.update { machine, _ in machine.acknowledge(ids) }
    }

    /// Whether the list is in sync, and why not.
    public var phase: ListPhase { ListPhase(status) }

    /// The number of operations that wait to be sent. They are stored on the device.
    public var waitingCount: Int { status.pending }

    /// Removes the operations that wait to be sent, for example because the list does not exist any more. Nothing else does that.
    /// One that is on its way may still be made.
    ///
    /// - Returns: the ids of the operations.
    /// - Throws: `storage`; nothing has changed then.
    @discardableResult
    package func discardWaiting() throws(ClientError) -> [String] {
        try update { machine, _ in try machine.discardWaiting() }
    }

    /// The state of the synchronization.
    package var status: ListStatus { runner.status }

    /// The state of the synchronization, now and after each change. A slow consumer receives only
    /// the newest state.
    package var statuses: AsyncStream<ListStatus> { runner.statusStream(handle, of: self) }

    /// Contacts the server at once. Returns when everything is sent and the list has what the server had, or when that has failed.
    ///
    /// - Returns: whether nothing waits any more.
    @discardableResult
    public func refreshNow() async -> Bool { await runner.flush(reads: true) }

    /// Contacts the server immediately, and replaces connections that are silent: at once, or in two seconds if
    /// they were heard in the last two. On Apple's systems, the client calls it when the network changes and when the app comes to the
    /// foreground.
    package func retryNow() { runner.retryNow() }

    /// Ends this object's streams and operations. With the last one of a list, the communication with the server ends at
    /// once: operations that were not sent stay on the device for the next time.
    public func close() { runner.close(handle, sendsFirst: false) }
}
