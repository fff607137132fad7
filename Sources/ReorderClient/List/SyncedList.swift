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
    public var snapshot: ReorderableList { runner.read(\.newest) }

    // MARK: Watching

    /// The list now, and after each change of this and of other clients, until it is closed. A slow consumer receives only the newest
    /// state.
    public var snapshots: AsyncStream<ReorderableList> {
        let subscription = subscribe()
        let (stream, continuation) = AsyncStream.makeStream(
            of: ReorderableList.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(subscription.start)
        let task = Task {
            for await _ in subscription.signals {
                let (_, list, touched) = subscription.take()
                if !touched.isEmpty { continuation.yield(list) }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    func subscribe() -> ListSubscription { runner.subscribe(self) }

    /// The operations that the server refused, each after it was undone, and that were not acknowledged yet, oldest first. The newest
    /// 10,000 are stored on the device until ``acknowledge(_:)``. O(refusals).
    public var unacknowledgedRefusals: [Refused] { runner.read(\.refusals) }

    /// Removes refusals from the device, for example after the person has seen them. O(stored refusals).
    public func acknowledge(_ refusals: some Sequence<Refused>) {
        let ids = Set(refusals.lazy.map(\.id))
        runner.update { machine, _ in machine.acknowledge(ids) }
    }

    /// Whether the list is in sync, and why not.
    public var phase: ListPhase { ListPhase(status) }

    /// The number of operations that wait to be sent. They are stored on the device.
    public var waitingCount: Int { status.pending }

    /// The state of the synchronization.
    var status: ListStatus { runner.status }

    /// The state of the synchronization, now and after each change. A slow consumer receives only
    /// the newest state.
    var statuses: AsyncMapSequence<AsyncStream<Void>, ListStatus> {
        let subscription = subscribe()
        return subscription.signals.map { _ in subscription.list.status }
    }

    /// Contacts the server at once. Returns when everything is sent and the list has what the server had, or when that has failed.
    ///
    /// - Returns: whether nothing waits any more.
    @discardableResult
    public func refreshNow() async -> Bool { await runner.flush(reads: true) }

    /// Ends this object's streams and operations. With the last one of a list, the communication with the server ends at
    /// once: operations that were not sent stay on the device for the next time.
    public func close() { runner.close(handle, sendsFirst: false) }
}
