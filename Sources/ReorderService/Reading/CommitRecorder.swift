import ReorderMetrics
import Synchronization

/// Records metrics of commits. The writer and the thread for large appends take a lock, so each number has one
/// writer at a time.
final class CommitRecorder: Sendable {
    private let changes = Histogram(
        BucketBounds([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]))
    private let times = Histogram(
        BucketBounds(
            [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 500_000, 2_500_000]
                .map { $0 * 1_000 }))
    private let failures = CounterRow(count: 1)
    private let writing = Mutex(())

    /// - Parameters:
    ///   - start: the uptime when the commit began, in nanoseconds.
    ///   - end: the uptime when it ended.
    func committed(_ count: Int, from start: UInt64, to end: UInt64) {
        let nanoseconds = Int(clamping: end &- start)
        writing.withLock { _ in
            changes.record(count)
            times.record(nanoseconds)
        }
    }

    func failed() { writing.withLock { _ in failures.add(1, to: 0) } }

    var metrics: ServiceMetrics.Commits {
        ServiceMetrics.Commits(
            changes: changes.distribution, nanoseconds: times.distribution, failed: failures[0])
    }
}

/// Counts whether lists were in memory when they were needed.
final class CacheUseRecorder: Sendable {
    let hits = StripedCounter()
    let misses = StripedCounter()
}
