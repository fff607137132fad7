import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// The client's own changes and drags, and those of others who send its `Client-Id`.
@Suite struct OwnChangesTests {
    /// A client with an open stream, whose creation of `x` has no response.
    ///
    /// - Parameter author: its author, as the server knows it.
    private func waiting(as author: String?) throws -> MachineUnderTest {
        var client = try MachineUnderTest()
        try client.openStream()
        let member = author.map { #","author":"\#($0)""# } ?? ""
        try client.receive("hello", #"{"list":"l","version":3,"epoch":"e"\#(member)}"#)
        client.make(["x"])
        return client
    }

    private func receive(
        _ version: Int, opID: String? = nil, _ operation: String, _ machine: inout MachineUnderTest
    ) throws {
        let id = opID.map { #","opId":"\#($0)""# } ?? ""
        try machine.receive(
            "change",
            #"{"version":\#(version),"at":"2026-11-22T10:00:00.000Z","client":"me"\#(id),"#
                + #""ops":[\#(operation)]}"#)
    }

    private func shown(_ machine: SyncMachine?) -> [TaskID]? {
        machine?.local?.displayed.tasks.map(\.id)
    }

    private let deletesB = #"{"op":"delete","task":"b"}"#
    private let insertsX =
        #"{"op":"insert","task":{"id":"x","title":"","section":null,"parent":null,"position":2}}"#
    private let deletesX = #"{"op":"delete","task":"x"}"#

    @Test(arguments: ["other", nil])
    func aForeignChangeWithOurClientIDHidesNoWaitingStep(opID: String?) throws {
        var client = try waiting(as: "Anna")
        try receive(4, opID: opID, deletesB, &client)
        #expect(shown(client.machine) == ["a", "c", "x"] && client.machine.status.pending == 1)
        // After a restart, too.
        let restarted = try SyncMachine(
            list: "l", storage: client.storage, newClient: "new", random: SeededGenerator(seed: 1))
        #expect(shown(restarted) == ["a", "c", "x"] && restarted.client == "me")
        // The own change arrives before its response, and is not applied twice.
        try receive(5, opID: "x", insertsX, &client)
        #expect(shown(client.machine) == ["a", "c", "x"] && client.machine.isSettled)
        try receive(6, deletesX, &client)
        #expect(shown(client.machine) == ["a", "c"])
        try client.answer(
            MachineUnderTest.batch, body: #"{"version":5,"results":[{"status":201}]}"#)
        #expect(shown(client.machine) == ["a", "c"] && client.machine.isSettled)
    }

    /// The change is as good as the answer.
    @Test func aStepWhoseChangeHasArrivedIsNotSentAgain() throws {
        var client = try waiting(as: nil)
        try receive(4, opID: "x", insertsX, &client)
        try client.cut(MachineUnderTest.batch)
        client.make(["y"])
        client.pass(seconds: 1)
        #expect(client.batch == ["y"])
        let restarted = try SyncMachine(
            list: "l", storage: client.storage, newClient: "new", random: SeededGenerator(seed: 1))
        #expect(restarted.local?.pending.map(\.id) == ["y"])
        #expect(OutboxRecord.waitingCount(in: client.storage.bytes) == 1)
    }

    @Test func aDragOfAnotherAuthorWithOurClientIDIsADragOfOthers() throws {
        var client = try waiting(as: "Anna")
        for (drag, from, author) in [
            ("own", "me", "Anna"), ("false", "me", "Ben"), ("pad", "pad", "Anna"),
        ] {
            let data =
                #"{"drag":"\#(drag)","client":"\#(from)","by":"\#(author)","state":"lifted","#
                + #""task":"a","over":null,"expiresAt":"2026-11-22T10:00:00.000Z"}"#
            try client.receive("drag", data)
        }
        #expect(
            client.machine.drags == [
                "false": OtherDrag(tasks: ["a"], author: "Ben"),
                "pad": OtherDrag(tasks: ["a"], author: "Anna"),
            ])
    }
}
