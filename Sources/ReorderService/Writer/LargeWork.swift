import ReorderEngine
import ReorderStore
import Synchronization

/// A write that a worker decides, because that takes long, or that is appended beside the batches, because
/// it stores much.
/// Meanwhile its lists are held: later writes of these lists wait, and reads see the published state.
///
/// `@unchecked Sendable`: one thread after the other uses it.
final class LargeWork: @unchecked Sendable {
    let write: PendingWrite
    /// With its list.
    let request: WriteRequest
    let facts: DecisionFacts?
    var lists: WorkingLists
    let listIDs: [String]
    var result: Result<Decision, Interruption>?
    /// Writes that wait for the lists.
    var waiting: [PendingWrite] = []

    init(
        _ write: PendingWrite, _ request: WriteRequest, _ facts: DecisionFacts?,
        _ lists: WorkingLists
    ) {
        self.write = write
        self.request = request
        self.facts = facts
        self.lists = lists
        listIDs = [lists.list, lists.other].compactMap { $0?.id }
    }
}

/// Appends large commits on a thread of its own, so that the writes of other lists do not wait for
/// them.
final class LargeAppends: Sendable {
    private struct State {
        var waiting: [LargeWork] = []
        var isWorking = false
    }

    private let store: any ListStore
    private let state = Mutex(State())
    private let worker: any Worker

    init(_ store: any ListStore, _ environment: ServiceEnvironment) {
        self.store = store
        worker = environment.makeWorker("large writer", 1)
    }

    /// - Parameter append: appends one write.
    func start(_ append: @escaping @Sendable (LargeWork) -> Void) {
        // The first step completes the work that an earlier process has left.
        worker.start(first: .at(0)) { self.step(append) }
    }

    /// Whether a large append that is enqueued now has to wait.
    var isBusy: Bool { state.withLock { $0.isWorking || !$0.waiting.isEmpty } }

    func enqueue(_ work: LargeWork) {
        state.withLock { $0.waiting.append(work) }
        worker.wake()
    }

    /// Completes the running append, and stops the thread.
    func stop() { worker.stopAndJoin() }

    private func step(_ append: (LargeWork) -> Void) -> NextStep {
        let isStopping = worker.isStopping
        state.withLock { $0.isWorking = true }
        tidy()
        // What still waits when the server stops is refused by the writer.
        while !worker.isStopping, let work = next() {
            append(work)
            tidy()
        }
        state.withLock { $0.isWorking = false }
        return isStopping ? .end : .whenWoken
    }

    private func next() -> LargeWork? {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    }

    /// Completes the work of large appends that their responses do not wait for.
    private func tidy() {
        // If it fails, the next large append tries again.
        try? store.tidy { !worker.isStopping }
    }
}

/// Answers decisions that a worker makes. The writer and the store check them again, because another
/// list may get the same new tasks meanwhile.
struct WorkerHost: DecisionHost {
    let durable: DurableLists
    let mayMakeLongSnapshot: Bool

    var isWorker: Bool { true }

    func work(on tasks: Int) {}

    func taken(
        _ tasks: [TaskID], for list: String, asksStore: Bool
    ) throws(ServiceError) -> [TaskID] {
        let stored = try durable.holders(ofNew: tasks, asksStore: asksStore)
        guard !stored.isEmpty else { return [] }
        return tasks.filter { stored[$0].map { $0 != list } ?? false }
    }
}
