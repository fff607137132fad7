import DequeModule
import Dispatch
import Foundation
import Synchronization

/// Threads for work that blocks or takes long, so that event loops don't wait for it.
///
/// Each size of work has its own threads, so that short work never waits for long work. The number
/// and the bytes of waiting pieces of work are limited; beyond the limits, work is refused.
package final class WorkerThreads: Sendable {
    /// The size of a piece of work, which determines its duration.
    package enum Size: Int, CaseIterable, Sendable {
        /// Up to 64 KiB or 1,000 tasks: milliseconds.
        case small
        /// Up to 1 MiB or 10,000 tasks: a fraction of a second.
        case medium
        case large

        /// - Parameter bytes: the size of the JSON text.
        package init(bytes: Int) {
            self = bytes <= 64 << 10 ? .small : bytes <= 1 << 20 ? .medium : .large
        }

        package init(tasks: Int) {
            self = tasks <= 1_000 ? .small : tasks <= 10_000 ? .medium : .large
        }

        /// Small work can wait for another process, so it has more threads.
        package var threadCount: Int {
            switch self {
            case .small: 4
            case .medium: 1
            case .large: 2
            }
        }

        /// The maximum number of waiting pieces of work.
        package var waitingLimit: Int {
            switch self {
            case .small: 10_000
            case .medium: 256
            case .large: 64
            }
        }
    }

    /// The maximum memory of waiting work for each size: 256 MiB, or one piece of work.
    package static let waitingBytesLimit = 256 << 20

    private struct Work {
        var bytes: Int
        var body: @Sendable () -> Void
    }

    private struct Lane {
        var waiting: Deque<Work> = []
        var waitingBytes = 0

        mutating func next() -> Work? {
            guard let work = waiting.popFirst() else { return nil }
            waitingBytes -= work.bytes
            return work
        }
    }

    private struct State {
        var lanes = Size.allCases.map { _ in Lane() }
        var isStopping = false
    }

    private let state = Mutex(State())
    private let wakes = Size.allCases.map { _ in DispatchSemaphore(value: 0) }
    private let stopped = DispatchSemaphore(value: 0)

    init() {
        for size in Size.allCases {
            for index in 0..<size.threadCount {
                let thread = Thread { self.run(size) }
                thread.name = "\(size) worker \(index)"
                thread.start()
            }
        }
    }

    /// Runs `work` when a thread for its size is free, in order of arrival.
    ///
    /// - Parameter bytes: the memory that the work uses while it waits.
    /// - Returns: false if a limit is reached or the threads are stopping; then it does not run.
    package func run(
        _ size: Size, holding bytes: Int = 0, _ work: @escaping @Sendable () -> Void
    ) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isStopping else { return false }
            let lane = state.lanes[size.rawValue]
            guard lane.waiting.count < size.waitingLimit,
                lane.waiting.isEmpty || lane.waitingBytes + bytes <= Self.waitingBytesLimit
            else { return false }
            state.lanes[size.rawValue].waiting.append(Work(bytes: bytes, body: work))
            state.lanes[size.rawValue].waitingBytes += bytes
            return true
        }
        if isTaken { wakes[size.rawValue].signal() }
        return isTaken
    }

    /// Runs waiting work and stops the threads, within a time limit. After that, work that has not
    /// begun is dropped, and running work is abandoned.
    func stop(withinSeconds seconds: Double) {
        state.withLock { $0.isStopping = true }
        var threadCount = 0
        for size in Size.allCases {
            threadCount += size.threadCount
            for _ in 0..<size.threadCount { wakes[size.rawValue].signal() }
        }
        let deadline = DispatchTime.now() + seconds
        for _ in 0..<threadCount where stopped.wait(timeout: deadline) == .timedOut { break }
        let dropped = state.withLock { state in
            let lanes = state.lanes
            state.lanes = Size.allCases.map { _ in Lane() }
            return lanes
        }
        // Released outside the lock.
        withExtendedLifetime(dropped) {}
    }

    private func run(_ size: Size) {
        while true {
            wakes[size.rawValue].wait()
            let (work, isStopping) = state.withLock { state in
                (state.lanes[size.rawValue].next(), state.isStopping)
            }
            if let work { work.body() } else if isStopping { break }
        }
        stopped.signal()
    }
}
