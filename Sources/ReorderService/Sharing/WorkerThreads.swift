import DequeModule
import Dispatch
import Foundation
import Synchronization

/// A few threads for what blocks: whoever hands it over must not.
final class WorkerThreads: Sendable {
    private struct Queue {
        var work: Deque<@Sendable () -> Void> = []
        var isStopping = false
    }

    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)
    private let count: Int

    init(count: Int) {
        self.count = count
        for index in 0..<count {
            let thread = Thread { self.run() }
            thread.name = "worker \(index)"
            thread.start()
        }
    }

    /// Runs it once a thread is free; first come, first served.
    func run(_ work: @escaping @Sendable () -> Void) {
        queue.withLock { $0.work.append(work) }
        wake.signal()
    }

    /// Does what waits, and ends the threads. Nothing may be handed over any more.
    func stop() {
        queue.withLock { $0.isStopping = true }
        for _ in 0..<count { wake.signal() }
        for _ in 0..<count { stopped.wait() }
    }

    private func run() {
        while true {
            wake.wait()
            let (work, isStopping) = queue.withLock { ($0.work.popFirst(), $0.isStopping) }
            if let work { work() } else if isStopping { break }
        }
        stopped.signal()
    }
}
