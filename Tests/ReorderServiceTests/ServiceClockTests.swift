import Foundation
import Logging
import ReorderStore
import StoreTesting
import Testing

@testable import ReorderService

/// Wrong clocks, and their correction.
@Suite struct ServiceClockTests {
    private static let day = 24.0 * 60 * 60

    @Test func theTimeStopsWhileTheClockIsBehind() {
        let clock = ManualClock()
        let time = ServiceClock(clock.environment, latest: nil)
        let start = time.now()
        clock.advance(seconds: -2 * Self.day)
        #expect(time.now() == start)
        clock.advance(seconds: Self.day)
        #expect(time.now() == start)
        clock.advance(seconds: Self.day + 1)
        #expect(time.now() == start + 1)
    }

    @Test func aClockFarBehindIsTrusted() {
        let clock = ManualClock()
        let time = ServiceClock(clock.environment, latest: nil)
        clock.advance(seconds: 3_650 * Self.day)
        let ahead = time.now()
        clock.advance(seconds: -ServiceClock.tolerance)
        #expect(time.now() == ahead)
        clock.advance(seconds: -0.001)
        #expect(time.now() == clock.now())
        clock.advance(seconds: 60)
        #expect(time.now() == clock.now())
    }

    @Test func theTimeBeginsAtTheStoresLatestTime() {
        let clock = ManualClock()
        let known = (clock.now() + Self.day).milliseconds
        #expect(ServiceClock(clock.environment, latest: known).now().milliseconds == known)
        let wrong = (clock.now() + 3_650 * Self.day).milliseconds
        #expect(ServiceClock(clock.environment, latest: wrong).now() == clock.now())
    }

    @Test func jumpsOfTheClockAreLogged() {
        let (log, clock) = (LogLines(level: .warning), ManualClock())
        var environment = clock.environment
        // The clock that is never set stands still.
        environment.uptime = { 1_000_000_000 }
        let behind = (clock.now() + 60).milliseconds
        let watch = ClockWatch(
            environment, latest: behind, Logger(label: "test") { _ in log.handler })
        for seconds in [0, 4, 3_600, -0.5, -86_400] {
            clock.advance(seconds: seconds)
            watch.check()
        }
        #expect(
            log.lines == [
                "the system's clock is behind the newest time in the store seconds=60",
                "the system's clock jumped ahead seconds=3600",
                "the system's clock jumped back seconds=-86400",
            ])
    }
}
