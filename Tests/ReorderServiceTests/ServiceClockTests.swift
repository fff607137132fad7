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

    @Test func aLongJumpIsDoubtedForADay() {
        let clock = ManualClock()
        let time = ServiceClock(clock.environment, latest: nil)
        let start = time.expiry()
        clock.set(aheadBy: 400 * Self.day)
        #expect(isAbout(time.expiry(), start))
        clock.advance(seconds: Self.day - 60)
        #expect(isAbout(time.expiry(), start + Self.day - 60))
        // Timestamps follow at once: the clock may have been wrong before.
        #expect(time.now() == clock.now())
        clock.advance(seconds: 60)
        #expect(time.expiry() == clock.now())
        clock.advance(seconds: 60)
        #expect(time.expiry() == clock.now())
    }

    @Test func aWrongClockThatIsCorrectedExpiresNothing() {
        let clock = ManualClock()
        let time = ServiceClock(clock.environment, latest: nil)
        let start = time.expiry()
        // Together, the times between the jumps are longer than a doubt.
        for days in [400.0, 3, 400] {
            clock.set(aheadBy: days * Self.day)
            #expect(isAbout(time.expiry(), start))
            _ = time.now()
            clock.set(aheadBy: -days * Self.day)
            #expect(time.expiry() == start)
            // The doubt begins again with the next jump.
            clock.advance(seconds: 0.75 * Self.day)
            clock.set(aheadBy: -0.75 * Self.day)
            #expect(time.expiry() == start)
        }
    }

    @Test func aJumpOfLessThanADayIsBelieved() {
        let clock = ManualClock()
        let time = ServiceClock(clock.environment, latest: nil)
        _ = time.expiry()
        for seconds in [Self.day - 60, 3_600, -2 * Self.day, 60] {
            clock.set(aheadBy: seconds)
            #expect(time.expiry() == clock.now())
        }
    }

    /// The server was off for a month, or its clock is wrong.
    @Test func theTimeSinceTheStoresLatestTimeIsDoubtedToo() {
        let clock = ManualClock()
        let known = clock.now() - 30 * Self.day
        let time = ServiceClock(clock.environment, latest: known.milliseconds)
        #expect(isAbout(time.expiry(), known))
        clock.advance(seconds: Self.day + 60)
        #expect(time.expiry() == clock.now())
    }

    /// A server with a wrong clock has stored a change, and starts again.
    @Test func aTimestampOfAWrongClockIsNotBelieved() {
        let clock = ManualClock()
        let right = clock.now()
        clock.set(aheadBy: 400 * Self.day)
        let time = ServiceClock(
            clock.environment, latest: clock.now().milliseconds, trusted: right.milliseconds)
        #expect(isAbout(time.expiry(), right))
        clock.set(aheadBy: -400 * Self.day)
        #expect(isAbout(time.expiry(), right))
    }

    /// The clock that is never set is the system's, so a little time passes.
    private func isAbout(_ time: Date, _ expected: Date) -> Bool {
        (0..<3_600).contains(time.timeIntervalSince(expected))
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
