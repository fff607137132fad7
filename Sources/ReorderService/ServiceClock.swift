import Foundation
import Synchronization

/// The time for timestamps of changes and responses. It is almost monotonic.
///
/// If the system's clock is behind the latest known time, this clock stops until the system's clock
/// has caught up, so that nothing expires too early. If the system's clock is behind by more than
/// `tolerance`, the latest known time is assumed to be wrong and is replaced. Otherwise a clock
/// that was once years ahead would stop the time for years.
final class ServiceClock: Sendable {
    private let environment: ServiceEnvironment
    private let latest: Mutex<Date>

    /// The maximum number of seconds for which this clock waits for the system's clock: 7 days.
    static let tolerance = 7.0 * 24 * 60 * 60

    /// - Parameter latest: the latest known time, in milliseconds since 1970.
    init(_ environment: ServiceEnvironment, latest: Int64?) {
        self.environment = environment
        let seconds = latest.map { Double($0) / 1_000 }
        self.latest = Mutex(seconds.map(Date.init(timeIntervalSince1970:)) ?? .distantPast)
    }

    func now() -> Date {
        let time = environment.date()
        return latest.withLock { latest in
            let aheadSeconds = latest.timeIntervalSince(time)
            if aheadSeconds <= 0 || aheadSeconds > Self.tolerance { latest = time }
            return latest
        }
    }

    /// Timestamps from this time on are assumed to be wrong, because the clock that made them was
    /// ahead.
    static func future(at now: Int64) -> Int64 { now + Int64(tolerance * 1_000) }
}
