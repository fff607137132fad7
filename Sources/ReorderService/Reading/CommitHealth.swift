import Logging
import ReorderStore
import Synchronization

/// Whether the last commit succeeded. Logs a line when commits begin to fail, a count while they
/// keep failing, and a line when they succeed again.
final class CommitHealth: Sendable {
    private struct Failure {
        let began: UInt64
        var lastLine: UInt64
        var commitCount = 1
    }

    /// The interval between log lines while commits keep failing.
    static let secondsBetweenLines: UInt64 = 10

    private let logger: Logger
    private let failure = Mutex<Failure?>(nil)
    /// Whether `failure` is set, for readers without the lock.
    private let fails = Atomic<Bool>(false)

    init(logger: Logger) { self.logger = logger }

    /// Whether the last commit failed.
    var isFailing: Bool { fails.load(ordering: .relaxed) }

    /// - Parameter uptime: in nanoseconds.
    func succeeded(at uptime: UInt64) {
        guard isFailing else { return }
        let ended = failure.withLock { failure in
            fails.store(false, ordering: .relaxed)
            return failure.take()
        }
        guard let ended else { return }
        logger.notice(
            "commits succeed again",
            metadata: [
                "failed": .stringConvertible(ended.commitCount),
                "seconds": .stringConvertible(Self.seconds(from: ended.began, to: uptime)),
            ])
    }

    /// - Parameter uptime: in nanoseconds.
    func failed(_ error: StoreError, at uptime: UInt64) {
        let (current, isDue) = failure.withLock { failure in
            fails.store(true, ordering: .relaxed)
            guard var current = failure else {
                let first = Failure(began: uptime, lastLine: uptime)
                failure = first
                return (first, true)
            }
            current.commitCount += 1
            let isDue =
                Self.seconds(from: current.lastLine, to: uptime) >= Self.secondsBetweenLines
            if isDue { current.lastLine = uptime }
            failure = current
            return (current, isDue)
        }
        guard isDue else { return }
        logger.error(
            current.commitCount == 1 ? "commits fail" : "commits still fail",
            metadata: [
                "error": "\(error)", "failed": .stringConvertible(current.commitCount),
                "seconds": .stringConvertible(Self.seconds(from: current.began, to: uptime)),
            ])
    }

    private static func seconds(from start: UInt64, to end: UInt64) -> UInt64 {
        (end &- start) / 1_000_000_000
    }
}
