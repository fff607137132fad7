import Testing

@testable import ReorderClient

/// Long polls, which the client uses if streams fail.
@Suite struct PollingTests {
    private let events = "/lists/l/events"
    private let poll = "/lists/l/changes"
    private static let epoch = "0123456789ab"

    private func document(_ version: Int) -> String {
        #"{"id":"l","title":"","version":\#(version),"epoch":"\#(Self.epoch)","tasks":[]}"#
    }

    /// Two streams that open and send nothing.
    private func afterTwoSilentStreams() throws -> MachineUnderTest {
        var client = try MachineUnderTest(epoch: Self.epoch)
        try client.openStream()
        client.pass(seconds: SyncMachine.silenceSeconds + 1)
        #expect(client.request(events) != nil)
        #expect(client.request(poll) == nil)
        try client.openStream()
        client.pass(seconds: SyncMachine.silenceSeconds + 1)
        return client
    }

    @Test func twoSilentStreamsLeadToPolls() throws {
        let client = try afterTwoSilentStreams()
        #expect(client.request(events) == nil)
        #expect(
            client.request(poll)?.target
                == "/lists/l/changes?since=3-\(Self.epoch)&limit=1000&wait=25")
    }

    @Test func aStreamThatSendsAnyByteIsNotSilent() throws {
        var client = try MachineUnderTest(epoch: Self.epoch)
        for _ in 0..<5 {
            try client.openStream()
            let id = try #require(client.requests.first { $0.request.target == events }).id
            client.update { $0.receive(.bytes(Array(": \n\n".utf8)), of: id, at: $1) }
            client.pass(seconds: SyncMachine.silenceSeconds + 1)
            #expect(client.request(events) != nil)
            #expect(client.request(poll) == nil)
        }
    }

    @Test(arguments: [(200, "text/html"), (406, "application/problem+json")])
    func aProxyThatRepliesItselfLeadsToPolls(status: Int, type: String) throws {
        var client = try MachineUnderTest(epoch: Self.epoch)
        try client.answer(events, status: status, headers: ["content-type": type], body: "?")
        client.pass(seconds: 1)
        #expect(client.request(poll) != nil)
    }

    @Test func aPollsChangesAreAppliedAndTheNextPollContinuesAfterThem() throws {
        var client = try afterTwoSilentStreams()
        try client.answer(
            poll,
            body: """
                {"changes":[
                    {"version":4,"at":"2025-01-01T00:00:00Z","ops":[{"op":"delete","task":"a"}]},
                    {"version":5,"at":"2025-01-01T00:00:00Z","ops":[{"op":"delete","task":"b"}]}],
                 "more":false}
                """)
        #expect(client.machine.local?.displayed.tasks.map(\.id) == ["c"])
        #expect(client.machine.connection == .online)
        #expect(
            client.request(poll)?.target
                == "/lists/l/changes?since=5-\(Self.epoch)&limit=1000&wait=25")
        // A poll that was held to its end, without changes.
        try client.answer(poll, body: #"{"changes":[],"more":false}"#)
        #expect(
            client.request(poll)?.target
                == "/lists/l/changes?since=5-\(Self.epoch)&limit=1000&wait=25")
    }

    @Test func aPollForPrunedChangesFetchesTheDocument() throws {
        var client = try afterTwoSilentStreams()
        try client.refuse(poll, status: 410, "history_gone")
        #expect(client.requests.map(\.request.target) == ["/lists/l"])
        try client.answer("/lists/l", body: document(90))
        #expect(client.machine.local?.version == 90)
        #expect(client.request(poll)?.target.contains("since=90") == true)
    }

    /// The server refuses a version alone. A copy from an earlier server has no epoch.
    @Test func aCopyWithoutAnEpochIsFetchedBeforeThePolls() throws {
        var client = try MachineUnderTest()
        try client.answer(events, status: 406, body: "?")
        client.pass(seconds: 1)
        #expect(client.requests.map(\.request.target) == ["/lists/l"])
        try client.answer("/lists/l", body: document(4))
        #expect(client.request(poll)?.target.contains("since=4-\(Self.epoch)&") == true)
    }

    /// A later server may add operations and members.
    @Test func aPollWithAnUnknownOperationFetchesTheDocument() throws {
        var client = try afterTwoSilentStreams()
        try client.answer(
            poll,
            body: """
                {"changes":[
                    {"version":4,"at":"2025-01-01T00:00:00Z","new":1,
                     "ops":[{"op":"delete","task":"a"}]},
                    {"version":5,"at":"2025-01-01T00:00:00Z","ops":[{"op":"fold"}]}],
                 "more":false}
                """)
        #expect(client.machine.local?.version == 4)
        #expect(client.requests.map(\.request.target) == ["/lists/l"])
    }

    @Test func aStreamIsTriedAgainAfterFiveMinutes() throws {
        var client = try afterTwoSilentStreams()
        let start = client.now
        while client.now < start + SyncMachine.pollingSeconds {
            client.pass(seconds: Double(SyncMachine.pollSeconds))
            guard client.request(poll) != nil else { break }
            try client.answer(poll, body: #"{"changes":[],"more":false}"#)
        }
        #expect(client.request(events) != nil)
        #expect(client.now - start >= SyncMachine.pollingSeconds - 2)
    }

    // MARK: Servers that do not wait

    private let nothing = #"{"changes":[],"more":false}"#

    /// Answers each request of a path at once for some time.
    ///
    /// - Returns: the times of the requests, in seconds after the start; at most 1,000.
    private func times(
        of path: String, in client: inout MachineUnderTest, seconds: Double,
        answer: (inout MachineUnderTest) throws -> Void
    ) throws -> [Double] {
        let start = client.now
        var times: [Double] = []
        while client.now < start + seconds, times.count < 1_000 {
            if client.request(path) != nil {
                times.append(client.now - start)
                try answer(&client)
            } else {
                client.pass(seconds: 0.01)
            }
        }
        return times
    }

    /// A proxy may ignore `wait`, or answer from its cache.
    @Test(arguments: [
        #"{"changes":[],"more":false}"#,
        #"{"changes":[{"version":3,"at":"2025-01-01T00:00:00Z","ops":[]}],"more":false}"#,
    ])
    func pollsThatAreAnsweredAtOnceWithNothingNewBeginAtGrowingIntervals(body: String) throws {
        var client = try afterTwoSilentStreams()
        let times = try times(of: poll, in: &client, seconds: 120) {
            try $0.answer(poll, body: body)
        }
        #expect(times.count < 20)
        let intervals = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(intervals.first == 0 && intervals.dropFirst().allSatisfy { $0 >= 0.5 })
        #expect(intervals.suffix(4).allSatisfy { 12...25.1 ~= $0 }, "\(intervals)")
        #expect(client.machine.connection == .online)
    }

    @Test func aPollThatWaitedIsFollowedAtOnceByTheNext() throws {
        var client = try afterTwoSilentStreams()
        _ = try times(of: poll, in: &client, seconds: 60) { try $0.answer(poll, body: nothing) }
        client.pass(seconds: Double(SyncMachine.pollSeconds))
        for _ in 0..<5 {
            // The pause, then the poll's time.
            while client.request(poll) == nil { client.pass(seconds: 0.01) }
            client.pass(seconds: Double(SyncMachine.pollSeconds))
            try client.answer(poll, body: nothing)
            #expect(client.request(poll) != nil)
        }
    }

    @Test func aChangeEndsTheGrowthOfTheIntervals() throws {
        var client = try afterTwoSilentStreams()
        _ = try times(of: poll, in: &client, seconds: 60) { try $0.answer(poll, body: nothing) }
        client.pass(seconds: Double(SyncMachine.pollSeconds))
        let change =
            #"{"version":4,"at":"2025-01-01T00:00:00Z","ops":[{"op":"delete","task":"a"}]}"#
        try client.answer(poll, body: #"{"changes":[\#(change)],"more":false}"#)
        #expect(client.request(poll) != nil)
        try client.answer(poll, body: nothing)
        #expect(client.request(poll) != nil)
    }

    @Test func theResponseToABatchIsFollowedByAPollAtOnce() throws {
        var client = try afterTwoSilentStreams()
        _ = try times(of: poll, in: &client, seconds: 60) { try $0.answer(poll, body: nothing) }
        if client.request(poll) != nil { try client.answer(poll, body: nothing) }
        #expect(client.request(poll) == nil)
        client.make(["x"])
        try client.answer(
            MachineUnderTest.batch, body: #"{"version":4,"results":[{"status":200}]}"#)
        #expect(client.request(poll) != nil)
    }

    /// Two servers behind a proxy do not agree, for example while one of them takes over.
    @Test func aListThatIsOutdatedAgainAndAgainIsFetchedAtGrowingIntervals() throws {
        var client = try MachineUnderTest(epoch: Self.epoch)
        let streams = try times(of: events, in: &client, seconds: 120) { client in
            try client.openStream()
            let id = try #require(client.requests.first { $0.request.target == events }).id
            client.update {
                $0.receive(.bytes(Array("event: refetch\ndata: {}\n\n".utf8)), of: id, at: $1)
            }
            if client.request("/lists/l") == nil { client.pass(seconds: 25) }
            try client.answer("/lists/l", body: document(3))
        }
        #expect(streams.count < 20)
    }

    @Test func aListThatIsReplacedAgainAndAgainIsFetchedAtOnce() throws {
        var client = try MachineUnderTest(epoch: Self.epoch)
        for version in 4..<24 {
            try client.openStream()
            let id = try #require(client.requests.first { $0.request.target == events }).id
            client.update {
                $0.receive(.bytes(Array("event: refetch\ndata: {}\n\n".utf8)), of: id, at: $1)
            }
            #expect(client.request("/lists/l") != nil)
            try client.answer("/lists/l", body: document(version))
        }
    }

    @Test func aListWhosePollsAreGoneIsFetchedAtGrowingIntervals() throws {
        var client = try afterTwoSilentStreams()
        let polls = try times(of: poll, in: &client, seconds: 120) { client in
            try client.refuse(poll, status: 410, "history_gone")
            if client.request("/lists/l") == nil { client.pass(seconds: 25) }
            try client.answer("/lists/l", body: document(3))
        }
        #expect(polls.count < 20)
    }
}
