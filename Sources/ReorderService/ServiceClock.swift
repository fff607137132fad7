import Foundation
import Synchronization

/// The time with which changes and answers are stamped: it never goes back by a little.
///
/// While the system's clock is behind a time that has come, the time stands still: what is to be kept
/// for a day is kept for a day at least. A clock that is behind by more than `tolerance` is believed, and
/// the time before it is not: else one wrong clock, years ahead, would stop the time for years.
final class ServiceClock: Sendable {
    private let system: @Sendable () -> Date
    private let latest: Mutex<Date>

    /// By how much a clock is behind at most, in seconds: 7 days.
    static let tolerance = 7.0 * 24 * 60 * 60

    /// - Parameter latest: a time that has come, in milliseconds since 1970.
    init(_ system: @escaping @Sendable () -> Date, latest: Int64?) {
        self.system = system
        let seconds = latest.map { Double($0) / 1_000 }
        self.latest = Mutex(seconds.map(Date.init(timeIntervalSince1970:)) ?? .distantPast)
    }

    func now() -> Date {
        let time = system()
        return latest.withLock { latest in
            let aheadSeconds = latest.timeIntervalSince(time)
            if aheadSeconds <= 0 || aheadSeconds > Self.tolerance { latest = time }
            return latest
        }
    }

    /// Times from here on are wrong: the clock that gave them was ahead.
    static func future(at now: Int64) -> Int64 { now + Int64(tolerance * 1_000) }
}
