import Foundation
import ReorderStore
import Synchronization

/// The time for timestamps of changes and responses, and the time by which they expire.
///
/// If the store is a database, its time is the time of all its servers: it is read at the start and before
/// each retention pass, and goes on with the clock that is never set. Otherwise it is the time of
/// the system's clock.
///
/// `now` is almost monotonic. If the system's clock is behind the latest known time, it stops until the
/// system's clock has caught up, so that nothing expires too early. If the system's clock is behind by
/// more than `tolerance`, the latest known time is assumed to be wrong and is replaced. Otherwise a
/// clock that was once years ahead would stop the time for years.
///
/// `expiry` decides what is deleted for good. It follows a jump ahead of more than `doubtedSeconds` only
/// after the clock was right about it for that long, because the clock may be wrong and be corrected.
final class ServiceClock: Sendable {
    private struct State {
        var latest: Date
        /// The store's time, if it has a clock.
        var store: Reading?
        /// The last time that nothing was wrong with; nil before the first.
        var trusted: Reading?
        /// The uptime since which the time is ahead of what can have passed.
        var doubtedSince: UInt64?
    }

    /// A time, and the uptime when it was read.
    private struct Reading {
        var time: Date
        var uptime: UInt64

        func later(at uptime: UInt64) -> Date {
            time.addingTimeInterval(Double(max(uptime, self.uptime) - self.uptime) / 1e9)
        }
    }

    private let environment: ServiceEnvironment
    private let state: Mutex<State>

    /// The maximum number of seconds for which this clock waits for the system's clock: 7 days.
    static let tolerance = 7.0 * 24 * 60 * 60
    /// The longest jump that is believed at once, and how long a longer one is doubted: a day.
    static let doubtedSeconds = 24.0 * 60 * 60

    /// - Parameters:
    ///   - latest: the latest known time, in milliseconds since 1970.
    ///   - trusted: the last time that was not doubted, if it is known. The latest known time can be that of
    ///     a wrong clock.
    init(_ environment: ServiceEnvironment, latest: Int64?, trusted: Int64? = nil) {
        self.environment = environment
        func date(_ milliseconds: Int64) -> Date {
            Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        }
        state = Mutex(
            State(
                latest: latest.map(date) ?? .distantPast,
                trusted: (trusted ?? latest).map {
                    Reading(time: date($0), uptime: environment.uptime())
                }))
    }

    /// Reads the time of a store that has a clock.
    func follow(_ store: any ListStore) throws(StoreError) {
        guard environment.followsStoreTime, let time = try store.currentTime() else { return }
        let reading = Reading(
            time: Date(timeIntervalSince1970: Double(time) / 1_000), uptime: environment.uptime())
        state.withLock { $0.store = reading }
    }

    func now() -> Date {
        state.withLock { state in
            let time = time(state)
            let aheadSeconds = state.latest.timeIntervalSince(time)
            if aheadSeconds <= 0 || aheadSeconds > Self.tolerance { state.latest = time }
            return state.latest
        }
    }

    /// The time by which something has expired.
    func expiry() -> Date {
        let uptime = environment.uptime()
        return state.withLock { state in
            let time = time(state)
            if let trusted = state.trusted {
                let expected = trusted.later(at: uptime)
                if time.timeIntervalSince(expected) > Self.doubtedSeconds {
                    let since = state.doubtedSince ?? uptime
                    state.doubtedSince = since
                    let seconds = Double(max(uptime, since) - since) / 1e9
                    guard seconds >= Self.doubtedSeconds else { return expected }
                }
            }
            state.trusted = Reading(time: time, uptime: uptime)
            state.doubtedSince = nil
            return time
        }
    }

    private func time(_ state: State) -> Date {
        state.store?.later(at: environment.uptime()) ?? environment.date()
    }

    /// Timestamps from this time on are assumed to be wrong, because the clock that made them was
    /// ahead.
    static func future(at now: Int64) -> Int64 { now + Int64(tolerance * 1_000) }
}

/// What the service makes of a clock that is behind the newest time in its store.
package enum ClockLag {
    /// Less is not reported.
    package static let reportedSeconds = ClockWatch.toleranceSeconds
    /// Up to this, timestamps wait for the clock. If it is more, the stored time counts as wrong.
    package static let waitedSeconds = ServiceClock.tolerance
}
