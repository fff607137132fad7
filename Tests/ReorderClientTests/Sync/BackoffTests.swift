import RandomRuns
import Testing

@testable import ReorderClient

/// When a client repeats a failed request.
@Suite struct BackoffTests {
    @Test func pausesDoubleUpToAMinuteAndAreAtLeastHalfRandom() {
        for seed in 0..<50 as Range<UInt64> {
            var backoff = Backoff()
            var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: seed)
            for full in [0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60] {
                let pause = backoff.failed(&random)
                #expect((full / 2...full).contains(pause), "seed \(seed)")
            }
            backoff.succeeded()
            #expect((0.25...0.5).contains(backoff.failed(&random)), "seed \(seed)")
        }
    }

    @Test func clientsDisconnectedTogetherDoNotReconnectTogether() {
        let pauses = (0..<100 as Range<UInt64>).map { seed in
            var backoff = Backoff()
            var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: seed)
            return backoff.failed(&random)
        }
        #expect((pauses.max() ?? 0) - (pauses.min() ?? 0) > 0.2)
        #expect(Set(pauses).count > 90)
    }

    @Test func theServersRetryAfterIsTheMinimumUpToAnHour() {
        var backoff = Backoff()
        var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 1)
        #expect(backoff.failed(retryAfter: 20, &random) == 20)
        // The delay after the second failure is longer than this `retryAfter`.
        #expect(backoff.failed(retryAfter: 0.1, &random) >= 0.5)
        for seconds in [3_599.0, 3_600, 3_601, 1e9, .infinity] {
            #expect(backoff.failed(retryAfter: seconds, &random) == min(seconds, 3_600))
        }
    }

    @Test(arguments: [503, 429, 500, 502, 408, 425, 409, 400, 401, 403, 404, 405, 407, 410, 422])
    func aBatchThatTheServerPostponesIsRepeatedUnchanged(status: Int) throws {
        var client = try MachineUnderTest()
        client.make(["x", "y"])
        let body = try #require(client.request(MachineUnderTest.batch)).body
        try client.answer(
            MachineUnderTest.batch, status: status, headers: ["retry-after": "20"])
        client.pass(seconds: 19.9)
        #expect(client.batch == nil)
        client.pass(seconds: 0.2)
        #expect(client.request(MachineUnderTest.batch)?.body == body)
        try client.answerBatch()
        #expect(client.machine.local?.pending.isEmpty == true)
        #expect(client.refused.isEmpty)
    }

    @Test func eachFailureLengthensThePauseAndASuccessResetsIt() throws {
        var client = try MachineUnderTest()
        client.make(["x"])
        for full in [0.5, 1, 2, 4, 8] {
            try client.cut(MachineUnderTest.batch)
            client.pass(seconds: full / 2 - 0.01)
            #expect(client.batch == nil)
            client.pass(seconds: full / 2 + 0.02)
            #expect(client.batch == ["x"])
        }
        try client.answerBatch()
        client.make(["y"])
        try client.cut(MachineUnderTest.batch)
        client.pass(seconds: 0.5)
        #expect(client.batch == ["y"])
    }

    @Test func aBatchWithoutAResponseTimesOutAndIsRepeated() throws {
        var client = try MachineUnderTest()
        client.make(["x"])
        let first = client.requests.first { $0.request.method == "POST" }?.id
        client.pass(seconds: SyncMachine.responseSeconds - 0.1)
        #expect(client.requests.first { $0.request.method == "POST" }?.id == first)
        client.pass(seconds: 0.7)
        #expect(client.batch == ["x"])
        #expect(client.requests.first { $0.request.method == "POST" }?.id != first)
    }
}
