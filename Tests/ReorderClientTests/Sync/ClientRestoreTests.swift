import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// A client, and a server that was restored from a backup.
@Suite struct RestoreTests {
    private static let document =
        #"{"id":"l","title":"","version":3,"epoch":"0123456789ab","tasks":[{"id":"a","title":""}]}"#

    private func lastEventID(_ test: MachineUnderTest) -> String? {
        test.request("/lists/l/events")?.headers.first { $0.name == "Last-Event-ID" }?.value
    }

    @Test func theEpochGoesBackWithTheVersion() throws {
        var test = try MachineUnderTest()
        #expect(lastEventID(test) == "3")
        try test.answer("/lists/l/events", status: 410)
        try test.answer("/lists/l", body: Self.document)
        #expect(lastEventID(test) == "3-0123456789ab")
    }

    @Test func theEpochIsKeptOnTheDevice() throws {
        let storage = MemoryStorage()
        for _ in 0..<2 {
            var machine = try SyncMachine(
                list: "l", storage: storage, newClient: "me", random: SeededGenerator(seed: 1))
            if machine.model == nil {
                let (list, place) = try SyncMachine.document(Array(Self.document.utf8))
                machine.begin(with: ListModel(base: list, at: place))
                // Writes what is known anew.
                machine.note(.document(Array(Self.document.utf8)))
            }
            #expect(machine.model?.place.token == "3-0123456789ab")
            guard case .document(let written)? = machine.state.dropFirst().first else {
                Issue.record("there is no document")
                continue
            }
            #expect(try SyncMachine.document(written).place.token == "3-0123456789ab")
        }
    }

    /// The server answered, lost that, and never reaches the version that it answered.
    @Test func aBatchThatWasAnsweredBeforeTheRestoreIsOver() throws {
        let list = try SyncMachine.document(Array(Self.document.utf8)).list
        var model = ListModel(base: list, at: ListPlace(version: 8))
        let attempt = try #require(try model.attempt(.delete("a")))
        _ = model.add(attempt, id: "o")
        _ = model.begin(.init(count: 1))
        model.receive(BatchAnswer(version: 9, refusals: [:]))
        #expect(model.finishedBatch == nil)
        _ = model.replaceBase(list, at: ListPlace(version: 4))
        #expect(model.finishedBatch == nil)
        _ = model.replaceBase(list, at: ListPlace(version: 4, epoch: "0123456789ab"))
        #expect(model.finishedBatch?.count == 1)
    }
}
