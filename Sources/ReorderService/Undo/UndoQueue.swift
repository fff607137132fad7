import DequeModule
import Synchronization

/// Threads that compute undos.
///
/// An undo loads the list's state before the change, which takes as much memory as the list. So at
/// most two undos run at a time, and at most one for each list. The number of waiting undos is
/// limited.
final class UndoQueue: Sendable {
    private struct Work {
        var list: String
        /// Called once. `mayBegin` is false if the server is stopping.
        var body: @Sendable (_ mayBegin: Bool) -> Void
    }

    private struct State {
        var waiting: Deque<Work> = []
        /// The lists with a running undo.
        var running: Set<String> = []
        /// The number of undos of each list, from their requests until their ends.
        var counts: [String: Int] = [:]
        var count = 0
        var isStopping = false

        /// Returns the first waiting undo whose list has no running undo.
        mutating func next() -> Work? {
            guard let index = waiting.firstIndex(where: { !running.contains($0.list) })
            else { return nil }
            let work = waiting.remove(at: index)
            running.insert(work.list)
            return work
        }
    }

    static let threadCount = 2
    private let limits: UndoLimits
    private let state = Mutex(State())
    /// When running undos must end, in nanoseconds of uptime.
    private let deadline = Atomic<UInt64>(.max)
    private let environment: ServiceEnvironment
    private let worker: any Worker

    init(_ limits: UndoLimits, _ environment: ServiceEnvironment = .system) {
        self.limits = limits
        self.environment = environment
        worker = environment.makeWorker("undo", Self.threadCount)
        worker.start(first: .whenWoken) { self.step() }
    }

    /// Whether running undos may continue.
    var mayContinue: Bool {
        let deadline = deadline.load(ordering: .relaxed)
        return deadline == .max || environment.uptime() < deadline
    }

    /// Counts as one undo against the limits until it ends or is released.
    final class Permit: Sendable {
        private let queue: UndoQueue
        private let list: String
        private let hasEnded = Atomic<Bool>(false)

        fileprivate init(_ queue: UndoQueue, _ list: String) {
            self.queue = queue
            self.list = list
        }

        deinit { end() }

        func end() {
            guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
            queue.ended(list)
        }
    }

    /// Admits an undo if the limits allow it.
    ///
    /// - Parameter isRead: whether it is a read that costs as much as an undo. Reads get half of each
    ///   limit, so that readers cannot prevent undos.
    /// - Throws: `tooManyUndos`, or `unavailable` if the server is stopping.
    func admit(_ list: String, isRead: Bool = false) throws(ServiceError) -> Permit {
        let part = isRead ? 2 : 1
        return try state.withLock { state throws(ServiceError) in
            guard !state.isStopping else { throw .unavailable }
            guard state.counts[list, default: 0] < limits.ofList / part else {
                throw .tooManyUndos(limit: limits.ofList / part, isOfList: true)
            }
            guard state.count < limits.ofServer / part else {
                throw .tooManyUndos(limit: limits.ofServer / part, isOfList: false)
            }
            state.counts[list, default: 0] += 1
            state.count += 1
            return Permit(self, list)
        }
    }

    /// The number of undos that count against the server's limit, and the number of their lists.
    var counts: (ofServer: Int, ofLists: Int) {
        state.withLock { ($0.count, $0.counts.count) }
    }

    private func ended(_ list: String) {
        state.withLock { state in
            let left = state.counts[list, default: 1] - 1
            state.counts[list] = left > 0 ? left : nil
            state.count -= 1
        }
    }

    /// Runs `body` when a thread is free and no other undo of the list is running, in order of
    /// arrival.
    ///
    /// - Parameter done: gets its result, or `unavailable` if the server is stopping.
    func run<Value>(
        of list: String, _ done: @escaping Completion<Value>,
        _ body: @escaping @Sendable () throws(ServiceError) -> Value
    ) {
        let work = Work(list: list) { mayBegin in
            done(
                Result { () throws(ServiceError) in
                    guard mayBegin else { throw .unavailable }
                    return try body()
                })
        }
        let isTaken = state.withLock { state in
            if !state.isStopping { state.waiting.append(work) }
            return !state.isStopping
        }
        if isTaken { worker.wake() } else { work.body(false) }
    }

    /// Refuses waiting and later undos at once. Interrupts running ones after this number of seconds.
    func prepareToStop(inSeconds seconds: Double) {
        let end = environment.uptime(afterSeconds: seconds)
        let refused = state.withLock { state in
            state.isStopping = true
            if end < deadline.load(ordering: .relaxed) { deadline.store(end, ordering: .relaxed) }
            defer { state.waiting = [] }
            return state.waiting
        }
        for work in refused { work.body(false) }
    }

    /// Waits until the threads have ended, but no longer than this. Call it after `prepareToStop`.
    ///
    /// A thread that is still loading a large list is abandoned. It changes nothing any more.
    func stop(withinSeconds seconds: Double) {
        worker.stop()
        worker.join(until: environment.uptime(afterSeconds: seconds))
    }

    private func step() -> NextStep {
        // Runs all that can run, because an undo that waited for another undo of its list has
        // already used its `wake`.
        while let work = state.withLock({ $0.next() }) {
            work.body(true)
            state.withLock { _ = $0.running.remove(work.list) }
        }
        return worker.isStopping ? .end : .whenWoken
    }
}
