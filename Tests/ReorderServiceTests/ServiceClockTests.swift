import Foundation
import Logging
import ReorderStore
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

    /// The clock was two days behind when the key was used.
    @Test func aKeyUsedWithTheClockBehindIsKnownAfterTheCorrection() throws {
        let (store, clock) = (GatedStore(), ManualClock())
        store.open()
        let service = ListService.quiet(store, clock: clock.now)
        try service.make("l", ["a"])
        clock.advance(seconds: -2 * Self.day)
        #expect(try service.ask(once: "k", .create("b", in: "l")).value() == "2 true")
        clock.advance(seconds: 2 * Self.day)
        #expect(try service.ask(once: "k", .create("b", in: "l")).value() == "2 true again")
        clock.advance(seconds: Self.day)
        #expect(try service.ask(once: "k", .create("c", in: "l")).value() == "3 true")
        try service.stop()
    }

    /// A change was decided while the clock was ten years ahead.
    @Test func aJumpAheadStopsNoPruning() throws {
        let (store, clock) = (GatedStore(), ManualClock())
        store.open()
        let service = ListService.quiet(store, clock: clock.now)
        try service.make("l", ["a"])
        clock.advance(seconds: 3_650 * Self.day)
        _ = try service.ask(.create("b", in: "l")).value()
        clock.advance(seconds: -3_650 * Self.day)
        // Each change replaces the list, so that no snapshot needs the changes before it.
        for number in 0..<10 {
            let list = WriteRequest(
                list: "l", action: .put(try .flat(["n\(number)"])), precondition: .exists)
            _ = try service.ask(list).value()
        }
        clock.advance(seconds: 31 * Self.day)
        _ = try service.ask(.create("new", in: "l")).value()
        let now = clock.now().milliseconds
        let history = HistoryRetention(days: 30, changes: nil)
        while try store.pruneChanges(
            olderThan: history.oldest(at: now), orFrom: ServiceClock.future(at: now),
            keepingLast: 0, limit: 100)
        {}
        #expect(try store.changes(of: "l", after: 2, limit: 100) == nil)
        // The changes that the older snapshot needs are kept.
        #expect(try store.changes(of: "l", after: 11, limit: 100)?.count == 2)
        try service.stop()
    }
}
