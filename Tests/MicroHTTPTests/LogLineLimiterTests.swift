import Testing

@testable import MicroHTTP

@Suite struct LogLineLimiterTests {
    private let start = ContinuousClock.Instant.now

    @Test func eachKindIsLoggedOnceInTenSecondsWithTheNumberOfOmittedLines() {
        let limit = LogLineLimiter()
        let next = start + limit.timeBetweenLines
        #expect(limit.pass("a", now: start) == 0)
        #expect(limit.pass("b", now: start) == 0)
        #expect(limit.pass("a", now: start) == nil)
        #expect(limit.pass("a", now: next - .nanoseconds(1)) == nil)
        #expect(limit.pass("a", now: next) == 2)
        #expect(limit.pass("b", now: next) == 0)
        #expect(limit.pass("a", now: next + limit.timeBetweenLines) == 0)
    }

    /// Two threads read the clock, and the one with the later time calls first.
    @Test func aLineFromBeforeTheLastOneIsOmitted() {
        let limit = LogLineLimiter()
        #expect(limit.pass("a", now: start) == 0)
        #expect(limit.pass("a", now: start - .nanoseconds(1)) == nil)
        #expect(limit.pass("a", now: start + limit.timeBetweenLines) == 1)
    }

    /// Clients choose their addresses, and must not fill the memory or the log.
    @Test func thereIsAMaximumOfKinds() {
        let limit = LogLineLimiter(timeBetweenLines: .seconds(60), maximumKinds: 2)
        #expect(limit.pass("a", now: start) == 0)
        #expect(limit.pass("b", now: start + .seconds(1)) == 0)
        #expect(limit.pass("c", now: start + .seconds(59)) == nil)
        #expect(limit.pass("a", now: start + .seconds(59)) == nil)
        #expect(limit.pass("c", now: start + .seconds(60)) == 0)
        #expect(limit.pass("b", now: start + .seconds(60)) == nil)
    }
}
