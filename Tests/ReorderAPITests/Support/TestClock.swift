import Foundation
import MicroHTTP
import ReorderService
import Synchronization

/// The clocks of a server. They stand still until a test advances them, except the time of day, which
/// can run.
final class TestClock: Sendable {
    private let start: Date?
    private let startUptime = ServiceEnvironment.system.uptime()
    private let state = Mutex(State())

    private struct State {
        /// Seconds that were added to the time of day.
        var added = 0.0
        /// Seconds that have passed.
        var elapsed = 0.0
        var workers: [Weak] = []
    }

    private struct Weak {
        weak var worker: ClockedWorker?
    }

    init(stoppedAt start: Date? = nil) { self.start = start }

    /// It is ahead of PostgreSQL's clock, because a server's clock is not behind its database's.
    static var stopped: TestClock { TestClock(stoppedAt: Date(timeIntervalSinceNow: 60)) }

    var now: @Sendable () -> Date {
        { [self] in (start ?? Date()).addingTimeInterval(state.withLock(\.added)) }
    }

    fileprivate var uptime: UInt64 {
        startUptime + UInt64(state.withLock(\.elapsed) * 1e9)
    }

    /// For `HTTPServerConfiguration`.
    var http: MonotonicClock { { [self] in Int(uptime) } }

    var environment: ServiceEnvironment {
        var environment = ServiceEnvironment.system
        environment.date = now
        environment.followsStoreTime = false
        environment.uptime = { [self] in uptime }
        environment.makeWorker = { [self] in
            let worker = ClockedWorker($0, threadCount: $1, self)
            state.withLock { $0.workers.append(Weak(worker: worker)) }
            return worker
        }
        return environment
    }

    /// - Parameter seconds: if it is negative, only the time of day changes.
    func advance(seconds: Double) {
        let workers = state.withLock { state in
            state.added += seconds
            state.elapsed += max(0, seconds)
            return state.workers
        }
        for weak in workers { weak.worker?.timePassed(uptime) }
    }
}

/// A worker that waits for the time of a test's clock. Nothing else wakes it when time passes, so that a worker that
/// forgets when it is due is late.
private final class ClockedWorker: Worker {
    private let worker: ThreadWorker
    private let threadCount: Int
    private let clock: TestClock
    /// The earliest uptime that a thread waits for.
    private let due = Mutex(UInt64.max)

    init(_ name: String, threadCount: Int, _ clock: TestClock) {
        worker = ThreadWorker(name, threadCount: threadCount)
        self.threadCount = threadCount
        self.clock = clock
    }

    func timePassed(_ uptime: UInt64) {
        let isDue = due.withLock { due in
            guard due <= uptime else { return false }
            due = .max
            return true
        }
        if isDue { worker.wake() }
    }

    var isStopping: Bool { worker.isStopping }

    func start(first: NextStep, _ step: @escaping @Sendable () -> NextStep) {
        worker.start(first: next(first)) { self.next(step()) }
    }

    func wake() { worker.wake() }
    func stop() { worker.stop() }
    func join(until _: UInt64) -> Bool { worker.join(until: .max) }

    private func next(_ step: NextStep) -> NextStep {
        let time = if case .at(let time) = step { time } else { UInt64.max }
        // Before the clock is read, because it can be advanced in between.
        due.withLock { $0 = threadCount == 1 ? time : min($0, time) }
        guard case .at = step else { return step }
        return time <= clock.uptime ? .at(0) : .whenWoken
    }
}

extension HTTPServerConfiguration {
    /// No time limit of a connection passes: not on a busy machine, and not if a test advances the
    /// service's clock while the server still sends.
    mutating func stopTime() {
        let start = clock()
        clock = { start }
        // libmicrohttpd and the kernel have clocks of their own.
        idleTimeoutSeconds = 0
        heartbeatSeconds = 3_600
    }
}
