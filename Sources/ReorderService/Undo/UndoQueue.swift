import DequeModule
import Dispatch
import Foundation
import Synchronization

/// What undos may take.
package struct UndoLimits: Sendable {
    /// How many operations a change may have that is undone; each task of a deleted subtree counts as
    /// one.
    package var operations = 100_000
    /// How many undos of one list may run or wait.
    package var ofList = 8
    /// How many undos of all lists may run or wait.
    package var ofServer = 64

    package init() {}
}

/// Threads that undo changes.
///
/// An undo reads the list as it was before the change, which takes as much memory as the list. So
/// only two run at once, and only one for each list. The others wait; their number is bounded.
final class UndoQueue: Sendable {
    private struct Work {
        var list: String
        /// Called once, with whether it may begin; otherwise the server is stopping.
        var body: @Sendable (_ mayBegin: Bool) -> Void
    }

    private struct State {
        var waiting: Deque<Work> = []
        /// The lists whose undos are running.
        var running: Set<String> = []
        /// How many undos each list has, from the request until its end.
        var counts: [String: Int] = [:]
        var count = 0
        var isStopping = false

        /// The first that waits for no other undo of its list.
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
    /// When what is running has to end, in nanoseconds of uptime.
    private let deadline = Atomic<UInt64>(.max)
    private let wake = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)

    init(_ limits: UndoLimits) {
        self.limits = limits
        for index in 0..<Self.threadCount {
            let thread = Thread { self.run() }
            thread.name = "undo \(index)"
            thread.start()
        }
    }

    /// Whether what is running may go on.
    var mayContinue: Bool {
        let deadline = deadline.load(ordering: .relaxed)
        return deadline == .max || DispatchTime.now().uptimeNanoseconds < deadline
    }

    /// The place of one undo among those that may run or wait, until it is released.
    final class Permit: Sendable {
        private let queue: UndoQueue
        private let list: String

        fileprivate init(_ queue: UndoQueue, _ list: String) {
            self.queue = queue
            self.list = list
        }

        deinit { queue.ended(list) }
    }

    /// Counts an undo.
    ///
    /// - Throws: `tooManyUndos`, or `unavailable` if the server is stopping.
    func admit(_ list: String) throws(ServiceError) -> Permit {
        try state.withLock { state throws(ServiceError) in
            guard !state.isStopping else { throw .unavailable }
            guard state.counts[list, default: 0] < limits.ofList else {
                throw .tooManyUndos(limit: limits.ofList, isOfList: true)
            }
            guard state.count < limits.ofServer else {
                throw .tooManyUndos(limit: limits.ofServer, isOfList: false)
            }
            state.counts[list, default: 0] += 1
            state.count += 1
        }
        return Permit(self, list)
    }

    private func ended(_ list: String) {
        state.withLock { state in
            let left = state.counts[list, default: 1] - 1
            state.counts[list] = left > 0 ? left : nil
            state.count -= 1
        }
    }

    /// Runs `body` once a thread is free and no other undo of the list is running; first come, first
    /// served.
    ///
    /// - Throws: `unavailable` if the server is stopping: `body` is not called.
    func run(
        of list: String, _ body: @escaping @Sendable (_ mayBegin: Bool) -> Void
    ) throws(ServiceError) {
        try state.withLock { state throws(ServiceError) in
            guard !state.isStopping else { throw .unavailable }
            state.waiting.append(Work(list: list, body: body))
        }
        wake.signal()
    }

    /// Refuses what waits and what comes later; what is running has to end in so many seconds.
    func prepareToStop(inSeconds seconds: Double) {
        let end = (DispatchTime.now() + seconds).uptimeNanoseconds
        let refused = state.withLock { state in
            state.isStopping = true
            if end < deadline.load(ordering: .relaxed) { deadline.store(end, ordering: .relaxed) }
            defer { state.waiting = [] }
            return state.waiting
        }
        for work in refused { work.body(false) }
    }

    /// Waits until the threads have ended, but not longer than this. After `prepareToStop`.
    ///
    /// What still reads a large list by then is left to itself: it changes nothing any more.
    func stop(withinSeconds seconds: Double) {
        for _ in 0..<Self.threadCount { wake.signal() }
        let end = DispatchTime.now() + seconds
        for _ in 0..<Self.threadCount where stopped.wait(timeout: end) == .timedOut { break }
    }

    private func run() {
        while true {
            wake.wait()
            // More than one: what waited for an undo of its list has used up its own signal.
            while let work = state.withLock({ $0.next() }) {
                work.body(true)
                state.withLock { _ = $0.running.remove(work.list) }
            }
            if state.withLock(\.isStopping) { break }
        }
        stopped.signal()
    }
}
