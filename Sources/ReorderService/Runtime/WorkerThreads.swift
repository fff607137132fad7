import DequeModule
import Synchronization

/// Threads for work that blocks or takes long, so that event loops don't wait for it.
///
/// Each size of work has its own threads, so that short work never waits for long work. The number
/// and the bytes of waiting pieces of work are limited; beyond the limits, work is refused.
package final class WorkerThreads: Sendable {
    /// The size of a piece of work, which determines its duration.
    package enum Size: Int, CaseIterable, Sendable {
        /// Up to 64 KiB or 1,000 tasks and sections: milliseconds.
        case small
        /// Up to 1 MiB or 10,000 tasks and sections: a fraction of a second.
        case medium
        case large
        /// Pages of tasks: of many lists, which are read from the store, or of one list, of which
        /// many tasks are examined or folded. A fraction of a second.
        case search
        /// Parts of lists that arrive in lines. Uploads wait only for each other.
        case upload
        /// Changes of tokens, which happen one after the other: only they wait for it.
        case tokens

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
            case .search: 2
            case .upload: 1
            case .tokens: 1
            }
        }

        /// The maximum number of waiting pieces of work.
        package var waitingLimit: Int {
            switch self {
            case .small: 10_000
            case .medium: 256
            case .large: 64
            case .search: 256
            case .upload: 1_000
            case .tokens: 1_000
            }
        }
    }

    /// The maximum memory of waiting work for each size: 256 MiB, or a single larger piece of work.
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
    private let environment: ServiceEnvironment
    /// One for each size.
    private let workers: [any Worker]

    init(_ environment: ServiceEnvironment = .system) {
        self.environment = environment
        workers = Size.allCases.map { environment.makeWorker("\($0) worker", $0.threadCount) }
        for size in Size.allCases {
            workers[size.rawValue].start(first: .whenWoken) { self.step(size) }
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
        if isTaken { workers[size.rawValue].wake() }
        return isTaken
    }

    /// The number of waiting pieces of work.
    var waitingCount: Int {
        state.withLock { $0.lanes.reduce(0) { $0 + $1.waiting.count } }
    }

    /// Completes all work and stops the threads, within a time limit. When the time is over, work
    /// that has not begun is dropped, and running work is abandoned.
    func stop(withinSeconds seconds: Double) {
        state.withLock { $0.isStopping = true }
        for worker in workers { worker.stop() }
        let deadline = environment.uptime(afterSeconds: seconds)
        for worker in workers { worker.join(until: deadline) }
        let dropped = state.withLock { state in
            let lanes = state.lanes
            state.lanes = Size.allCases.map { _ in Lane() }
            return lanes
        }
        // Released outside the lock.
        withExtendedLifetime(dropped) {}
    }

    private func step(_ size: Size) -> NextStep {
        // Read once, and before the queue: a thread that ends has then found the queue empty after the stop.
        let isStopping = workers[size.rawValue].isStopping
        repeat {
            let work = state.withLock { $0.lanes[size.rawValue].next() }
            guard let work else { break }
            environment.beforeWork()
            work.body()
        } while isStopping
        return isStopping ? .end : .whenWoken
    }
}
