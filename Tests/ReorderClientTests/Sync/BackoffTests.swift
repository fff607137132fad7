import RandomRuns
import Testing

@testable import ReorderClient

/// When a client that was not answered comes again.
@Suite struct BackOffTests {
    @Test func pausesDoubleUpToAMinuteAndARandomHalfOfThem() {
        for seed in 0..<50 as Range<UInt64> {
            var backOff = BackOff()
            var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: seed)
            for full in [0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60] {
                let pause = backOff.failed(&random)
                #expect((full / 2...full).contains(pause), "seed \(seed)")
            }
            backOff.succeeded()
            #expect((0.25...0.5).contains(backOff.failed(&random)), "seed \(seed)")
        }
    }

    @Test func clientsThatWereCutTogetherDoNotComeBackTogether() {
        let pauses = (0..<100 as Range<UInt64>).map { seed in
            var backOff = BackOff()
            var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: seed)
            return backOff.failed(&random)
        }
        #expect((pauses.max() ?? 0) - (pauses.min() ?? 0) > 0.2)
        #expect(Set(pauses).count > 90)
    }

    @Test func theServersWordIsTheLeastButNotForMoreThanAnHour() {
        var backOff = BackOff()
        var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 1)
        #expect(backOff.failed(retryAfter: 20, &random) == 20)
        // The second failure's own pause is longer than that.
        #expect(backOff.failed(retryAfter: 0.1, &random) >= 0.5)
        #expect(backOff.failed(retryAfter: 1e9, &random) == 3_600)
    }

    @Test(arguments: [503, 429, 500, 502, 408, 425, 409])
    func aBatchThatTheServerPutsOffComesAgainAsItWas(status: Int) throws {
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
        #expect(client.machine.model?.pending.isEmpty == true)
        #expect(client.refused.isEmpty)
    }

    @Test func eachFailureMakesTheNextPauseLongerAndASuccessEndsThat() throws {
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

    @Test func aBatchWithoutAnAnswerIsGivenUpAndComesAgain() throws {
        var client = try MachineUnderTest()
        client.make(["x"])
        let first = client.requests.first { $0.request.method == "POST" }?.id
        client.pass(seconds: SyncMachine.answerSeconds - 0.1)
        #expect(client.requests.first { $0.request.method == "POST" }?.id == first)
        client.pass(seconds: 0.7)
        #expect(client.batch == ["x"])
        #expect(client.requests.first { $0.request.method == "POST" }?.id != first)
    }
}
