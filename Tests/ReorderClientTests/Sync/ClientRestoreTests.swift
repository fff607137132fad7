import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// A client of a server that was restored from a backup.
@Suite struct ClientRestoreTests {
    private static let document =
        #"{"id":"l","title":"","version":3,"epoch":"0123456789ab","tasks":[{"id":"a","title":""}]}"#

    private func lastEventID(_ test: MachineUnderTest) -> String? {
        test.request("/lists/l/events")?.headers.first { $0.name == "Last-Event-ID" }?.value
    }

    @Test func theEpochIsSentWithTheVersion() throws {
        var test = try MachineUnderTest()
        #expect(lastEventID(test) == "3")
        try test.refuse("/lists/l/events", status: 410, "history_gone")
        try test.answer("/lists/l", body: Self.document)
        #expect(lastEventID(test) == "3-0123456789ab")
    }

    @Test func theEpochIsStoredOnTheDevice() throws {
        let storage = MemoryStorage()
        for _ in 0..<2 {
            var machine = try SyncMachine(
                list: "l", storage: storage, newClient: "me", random: SeededGenerator(seed: 1))
            if machine.local == nil {
                let (list, place) = try SyncMachine.document(Array(Self.document.utf8))
                machine.begin(with: LocalList(base: list, at: place))
                // Rewrites the file.
                machine.appendRecord(.document(Array(Self.document.utf8)))
            }
            #expect(machine.local?.syncPoint.token == "3-0123456789ab")
            guard case .document(let written)? = machine.records.dropFirst().first else {
                Issue.record("the first record is not a document")
                continue
            }
            #expect(try SyncMachine.document(written).syncPoint.token == "3-0123456789ab")
        }
    }

    /// The server has answered, and has perhaps lost the change.
    @Test func stepsAnsweredBeforeTheRestoreWaitAgain() throws {
        let list = try SyncMachine.document(Array(Self.document.utf8)).list
        var model = LocalList(base: list, at: SyncPoint(version: 8))
        _ = model.add(try model.applying([.delete("a")], id: "o"))
        _ = model.updatePending { $0.answer(["o": 9]) }
        #expect(model.waiting.isEmpty && model.pending.count == 1)
        #expect(model.replaceBase(list, at: SyncPoint(version: 4)) == 0)
        #expect(model.waiting.isEmpty && !model.displayed.contains("a"))
        let restored = SyncPoint(version: 4, epoch: "0123456789ab")
        #expect(model.replaceBase(list, at: restored) == 1)
        #expect(model.waiting.count == 1 && !model.displayed.contains("a"))
    }

    /// A response that was sent before a restore arrives after the restored document.
    @Test func aBatchAnsweredInAnotherEpochIsSentAgain() throws {
        var test = try MachineUnderTest()
        try test.refuse("/lists/l/events", status: 410, "history_gone")
        test.make(["x"])
        try test.answer("/lists/l", body: Self.document)
        let result = #""results":[{"status":200}]}"#
        try test.answer(
            "/lists/l/batch", headers: ["etag": #""9""#], body: #"{"version":9,\#(result)"#)
        let (pending, needsDocument) = (
            test.machine.local?.pending.count, test.machine.needsDocument
        )
        #expect(pending == 1)
        #expect(needsDocument)
        test.pass(seconds: 1)
        #expect(test.request("/lists/l/batch") != nil)
        try test.answer("/lists/l", body: Self.document)
        try test.answer(
            "/lists/l/batch", headers: ["etag": #""3-0123456789ab-gzip""#],
            body: #"{"version":3,\#(result)"#)
        let isDone = test.machine.local?.pending.isEmpty
        #expect(isDone == true)
    }
}
