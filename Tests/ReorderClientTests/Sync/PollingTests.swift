import Testing

@testable import ReorderClient

/// Long polls, which the client uses if streams fail.
@Suite struct PollingTests {
    private let events = "/lists/l/events"
    private let poll = "/lists/l/changes"

    /// Two streams that open and send nothing.
    private func afterTwoSilentStreams() throws -> MachineUnderTest {
        var client = try MachineUnderTest()
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
        #expect(client.request(poll)?.target == "/lists/l/changes?since=3&limit=1000&wait=25")
    }

    @Test func aStreamThatSendsAnyByteIsNotSilent() throws {
        var client = try MachineUnderTest()
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
        var client = try MachineUnderTest()
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
        #expect(client.request(poll)?.target == "/lists/l/changes?since=5&limit=1000&wait=25")
        // A poll that was held to its end, without changes.
        try client.answer(poll, body: #"{"changes":[],"more":false}"#)
        #expect(client.request(poll)?.target == "/lists/l/changes?since=5&limit=1000&wait=25")
    }

    @Test func aPollForPrunedChangesFetchesTheDocument() throws {
        var client = try afterTwoSilentStreams()
        try client.answer(poll, status: 410, body: #"{"code":"history_gone"}"#)
        #expect(client.requests.map(\.request.target) == ["/lists/l"])
        try client.answer("/lists/l", body: #"{"id":"l","title":"","version":90,"tasks":[]}"#)
        #expect(client.machine.local?.version == 90)
        #expect(client.request(poll)?.target.contains("since=90") == true)
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
}
