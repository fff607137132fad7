import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// The client's own changes and drags, and those of others who send its `Client-Id`.
@Suite struct OwnChangesTests {
    private static let events = "/lists/l/events"

    /// A client with an open stream, whose creation of `x` has no response.
    ///
    /// - Parameter author: its author, as the server knows it.
    private func waiting(as author: String?) throws -> MachineUnderTest {
        var client = try MachineUnderTest()
        try client.openStream()
        let member = author.map { #","author":"\#($0)""# } ?? ""
        try receive("hello", #"{"list":"l","version":3,"epoch":"e"\#(member)}"#, &client)
        client.make(["x"])
        return client
    }

    private func receive(
        _ event: String, _ data: String, _ client: inout MachineUnderTest
    ) throws {
        let id = try #require(client.requests.first { $0.request.target == Self.events }).id
        let text = "event: \(event)\ndata: \(data)\n\n"
        client.update { $0.receive(.bytes(Array(text.utf8)), of: id, at: $1) }
    }

    private func receive(
        _ version: Int, from client: String, by author: String?, _ operation: String,
        _ machine: inout MachineUnderTest
    ) throws {
        let by = author.map { #","by":"\#($0)""# } ?? ""
        try receive(
            "change",
            #"{"version":\#(version),"at":"2026-11-22T10:00:00.000Z","client":"\#(client)"\#(by),"#
                + #""ops":[\#(operation)]}"#, &machine)
    }

    private func shown(_ machine: SyncMachine?) -> [TaskID]? {
        machine?.local?.displayed.tasks.map(\.id)
    }

    private let deletesB = #"{"op":"delete","task":"b"}"#
    private let insertsX =
        #"{"op":"insert","task":{"id":"x","title":"","section":null,"parent":null,"position":2}}"#
    private let deletesX = #"{"op":"delete","task":"x"}"#

    @Test(arguments: ["Ben", nil])
    func aForeignChangeWithOurClientIDHidesNoWaitingStep(author: String?) throws {
        var client = try waiting(as: "Anna")
        try receive(4, from: "me", by: author, deletesB, &client)
        #expect(shown(client.machine) == ["a", "c", "x"])
        // After a restart, too.
        let restarted = try SyncMachine(
            list: "l", storage: client.storage, newClient: "new", random: SeededGenerator(seed: 1))
        #expect(shown(restarted) == ["a", "c", "x"] && restarted.client == "me")
        // The own change arrives before its response, and is not applied twice.
        try receive(5, from: "me", by: "Anna", insertsX, &client)
        #expect(shown(client.machine) == ["a", "c", "x"])
        try receive(6, from: "other", by: "Ben", deletesX, &client)
        #expect(shown(client.machine) == ["a", "c"])
        try client.answer(
            MachineUnderTest.batch, body: #"{"version":5,"results":[{"status":201}]}"#)
        #expect(shown(client.machine) == ["a", "c"] && client.machine.isSettled)
    }

    @Test(arguments: ["Anna", nil])
    func aClientWithoutAKnownAuthorKnowsItsChangeByItsClientID(author: String?) throws {
        var client = try waiting(as: nil)
        try receive(4, from: "me", by: author, insertsX, &client)
        try receive(5, from: "other", by: nil, deletesX, &client)
        #expect(shown(client.machine) == ["a", "b", "c"])
    }

    @Test func aDragOfAnotherAuthorWithOurClientIDIsADragOfOthers() throws {
        var client = try waiting(as: "Anna")
        for (drag, from, author) in [
            ("own", "me", "Anna"), ("false", "me", "Ben"), ("pad", "pad", "Anna"),
        ] {
            let data =
                #"{"drag":"\#(drag)","client":"\#(from)","by":"\#(author)","state":"lifted","#
                + #""task":"a","over":null,"expires":"2026-11-22T10:00:00.000Z"}"#
            try receive("drag", data, &client)
        }
        #expect(
            client.machine.drags == [
                "false": OtherDrag(tasks: ["a"], author: "Ben"),
                "pad": OtherDrag(tasks: ["a"], author: "Anna"),
            ])
    }
}
