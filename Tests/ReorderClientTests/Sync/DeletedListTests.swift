import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// What waits on a list that the server does not have any more.
@Suite struct DeletedListTests {
    private static let document =
        #"{"id":"l","title":"","version":9,"epoch":"0123456789ab","tasks":[{"id":"b","title":""}]}"#

    private func restarted(_ client: MachineUnderTest) throws -> SyncMachine {
        try SyncMachine(
            list: "l", storage: client.storage, newClient: "new", random: SeededGenerator(seed: 1))
    }

    /// A client with two waiting operations, of whose deletion the server has said.
    private func deleted() throws -> MachineUnderTest {
        var client = try MachineUnderTest()
        client.make(["x", "y"])
        try client.refuse(MachineUnderTest.batch, status: 404, "list_not_found")
        return client
    }

    @Test func operationsWaitUntilTheListIsBack() throws {
        var client = try deleted()
        #expect(client.refused.isEmpty)
        #expect(client.machine.status.connection == .gone && client.machine.status.pending == 2)
        // Without a network, nothing says that it is back.
        client.pass(seconds: SyncMachine.goneSeconds)
        try client.cut("/lists/l")
        #expect(client.machine.status.connection == .gone && client.batch == nil)
        client.pass(seconds: SyncMachine.goneSeconds)
        try client.refuse("/lists/l", status: 404, "list_not_found")
        client.pass(seconds: SyncMachine.goneSeconds)
        #expect(client.batch == nil && client.requests.map(\.request.target) == ["/lists/l"])
        try client.answer("/lists/l", body: Self.document)
        #expect(client.machine.local?.displayed.tasks.map(\.id) == ["b", "x", "y"])
        #expect(client.batch == ["x", "y"])
    }

    /// Otherwise a caller that waits until everything is sent would wait as long as the list is gone.
    @Test func aListThatIsGoneIsAFailureToReadAndToSend() throws {
        var client = try MachineUnderTest()
        client.make(["x"])
        var failures = client.machine.readingFailures
        try client.refuse(MachineUnderTest.batch, status: 404, "list_not_found")
        #expect(client.machine.readingFailures > failures)
        failures = client.machine.writingFailures
        client.pass(seconds: SyncMachine.goneSeconds)
        try client.refuse("/lists/l", status: 404, "list_not_found")
        #expect(client.machine.writingFailures > failures)
    }

    @Test(arguments: [(404, "<h1>Not found</h1>"), (200, "<h1>Welcome to our hotel</h1>")])
    func aPageOfAnotherServerDoesNotDeleteTheList(status: Int, body: String) throws {
        var client = try MachineUnderTest()
        client.make(["x", "y"])
        try client.answer(
            MachineUnderTest.batch, status: status, headers: ["content-type": "text/html"],
            body: body)
        #expect(client.machine.status.connection != .gone && client.machine.status.pending == 2)
        client.pass(seconds: 1)
        #expect(client.batch == ["x", "y"])
    }

    @Test func thePersonCanDiscardWhatWaits() throws {
        var client = try deleted()
        let waiting = client.storage.bytes
        var discarded: [String] = []
        client.update { machine, _ in
            discarded = (try? machine.discardWaiting()) ?? []
        }
        #expect(discarded == ["x", "y"] && client.refused.isEmpty)
        #expect(client.machine.status.pending == 0)
        #expect(client.machine.local?.displayed.tasks.map(\.id) == ["a", "b", "c"])
        #expect(try restarted(client).local?.pending.isEmpty == true)
        #expect(OutboxRecord.waitingCount(in: client.storage.bytes) == 0)
        #expect(OutboxRecord.waitingCount(in: waiting) == 2)
        // What is done later is sent when the list is back.
        client.make(["z"])
        #expect(OutboxRecord.waitingCount(in: client.storage.bytes) == 1)
        client.pass(seconds: SyncMachine.goneSeconds)
        try client.answer("/lists/l", body: Self.document)
        #expect(client.batch == ["z"])
    }

    /// The answer to a batch that was on its way says nothing about what was discarded.
    @Test func theAnswerToADiscardedBatchChangesNothing() throws {
        var client = try MachineUnderTest()
        client.make(["x", "y"])
        client.update { machine, _ in _ = try? machine.discardWaiting() }
        client.make(["z"])
        let problem = #"{"status":409,"code":"id_taken","detail":"No."}"#
        try client.answer(
            MachineUnderTest.batch,
            body: #"{"version":3,"results":[{"status":409,"problem":\#(problem)},{"status":201}]}"#)
        #expect(client.refused.isEmpty && client.batch == ["z"])
        #expect(client.machine.local?.pending.map(\.id) == ["z"])
    }

    @Test func nothingIsDiscardedIfItCannotBeStored() throws {
        var client = try deleted()
        client.storage.isFull = true
        client.update { machine, _ in
            #expect(throws: ClientError.self) { try machine.discardWaiting() }
        }
        #expect(client.machine.status.pending == 2)
    }
}
