import Dispatch
import Foundation
import ReorderStore
import Synchronization

/// Does work outside the event loops, in steps: one step each time that it is woken, and one when a
/// time comes.
package protocol Worker: AnyObject, Sendable {
    /// Whether `stop` was called.
    var isStopping: Bool { get }

    /// Starts the worker. Call it once.
    ///
    /// - Parameters:
    ///   - first: when to do the first step.
    ///   - step: does a piece of the work, and returns when to do the next one. If the worker has
    ///     several threads, each of them calls it. Retained until the worker has ended.
    func start(first: NextStep, _ step: @escaping @Sendable () -> NextStep)

    /// Makes a thread do a step. If all of them work, the first one to finish does it.
    func wake()

    /// Makes each thread do a step, which must return `end` now or when it is woken later. Does not
    /// wait for the threads.
    func stop()

    /// Waits until all threads have ended, but not longer than until this uptime. A thread that
    /// has not ended by then is abandoned.
    ///
    /// - Returns: whether they have ended.
    @discardableResult func join(until uptime: UInt64) -> Bool
}

extension Worker {
    /// Stops the worker and waits until it has ended.
    func stopAndJoin() {
        stop()
        join(until: .max)
    }
}

/// When a worker does its next step.
package enum NextStep: Sendable {
    case whenWoken
    /// At this uptime in nanoseconds, or when it is woken before.
    case at(UInt64)
    /// Never: the thread ends.
    case end
}

/// A worker with threads of its own.
package final class ThreadWorker: Worker {
    private let name: String
    private let threadCount: Int
    private let signal = TimedSemaphore()
    private let ended = TimedSemaphore()
    private let stopFlag = Atomic<Bool>(false)

    package init(_ name: String, threadCount: Int) {
        self.name = name
        self.threadCount = threadCount
    }

    package var isStopping: Bool { stopFlag.load(ordering: .acquiring) }

    package func start(first: NextStep, _ step: @escaping @Sendable () -> NextStep) {
        for index in 0..<threadCount {
            let name = threadCount == 1 ? name : "\(name) \(index)"
            let started = DispatchSemaphore(value: 0)
            Thread.detachNewThread { [signal, ended] in
                // Foundation for Linux can name a thread only after `detachNewThread` has returned. Linux keeps 15 characters.
                started.wait()
                Thread.current.name = String(name.prefix(15))
                Self.run(step, after: first, signal)
                ended.signal()
            }
            started.signal()
        }
    }

    private static func run(
        _ step: () -> NextStep, after first: NextStep, _ signal: TimedSemaphore
    ) {
        var next = first
        while true {
            switch next {
            case .whenWoken: signal.wait()
            case .at(let time): signal.wait(until: DispatchTime(uptimeNanoseconds: time))
            case .end: return
            }
            next = step()
        }
    }

    package func wake() { signal.signal() }

    package func stop() {
        stopFlag.store(true, ordering: .releasing)
        for _ in 0..<threadCount { signal.signal() }
    }

    package func join(until uptime: UInt64) -> Bool {
        let deadline: DispatchTime =
            uptime == .max ? .distantFuture : DispatchTime(uptimeNanoseconds: uptime)
        for _ in 0..<threadCount where !ended.wait(until: deadline) { return false }
        return true
    }
}
