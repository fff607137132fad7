import RandomRuns
import ReorderEngine
import ReorderJSON
import Testing

@testable import ReorderClient

/// Files that earlier versions of the library have written.
@Suite struct FormerFileTests {
    private static let document =
        #"{"id":"l","title":"","version":3,"tasks":[{"id":"a","title":""},{"id":"b","title":""},"#
        + #"{"id":"c","title":""}]}"#

    private func change(_ version: Int, _ operations: String) -> OutboxRecord {
        let json =
            #"{"version":\#(version),"at":"2026-01-01T00:00:00.000Z","client":"me","ops":[\#(operations)]}"#
        return .change(Array(json.utf8))
    }

    private func operation(_ id: String, _ command: Command) -> OutboxRecord {
        .operation(PendingOperation(id: id, command: command).json())
    }

    /// A batch that was completed, and one whose change has arrived before its response. The file holds everything that waits.
    @Test func everythingThatWaitsIsKept() throws {
        let records: [OutboxRecord] = [
            .client("me"), .document(Array(Self.document.utf8)),
            operation("o1", .create(TaskContent(id: "x", title: ""), at: Destination())),
            .sent(count: 1, isInBase: false),
            operation("s.0", .delete("a")), operation("s.1", .delete("b")),
            change(
                4,
                #"{"op":"insert","task":{"id":"x","title":"","section":null,"parent":null,"position":3}}"#
            ),
            .sent(count: 1, isInBase: true), .settled(count: 1), .sent(count: 2, isInBase: false),
            change(5, #"{"op":"delete","task":"a"},{"op":"delete","task":"b"}"#),
            operation("o2", .update("c", TaskChanges(done: true))),
            .refused(
                Refused(
                    PendingOperation(id: "r", command: .delete("c")),
                    ServerProblem(code: "locked", detail: "Locked.")
                ).json()),
        ]
        let storage = MemoryStorage(records.reduce(OutboxRecord.fileHeader) { $0 + $1.bytes })
        #expect(OutboxRecord.waitingCount(in: storage.bytes) == 3)
        var machine = try SyncMachine(
            list: "l", storage: storage, newClient: "new", random: SeededGenerator(seed: 1))
        #expect(machine.client == "me" && machine.local?.version == 5)
        #expect(machine.local?.waiting.map(\.id) == ["s.0", "s.1", "o2"])
        #expect(machine.local?.displayed.tasks.map(\.id) == ["c", "x"])
        #expect(machine.local?.displayed.task("c")?.content.done == true)
        #expect(machine.refusals.map(\.id) == ["r"])
        machine.advance(to: 0)
        let batch = machine.takeEffects().compactMap { effect in
            if case .start(_, let request, isWrite: true) = effect {
                String(decoding: request.body, as: UTF8.self)
            } else {
                nil
            }
        }
        #expect(
            batch == [
                #"{"steps":[[{"opId":"s.0","op":"delete","task":"a"},"#
                    + #"{"opId":"s.1","op":"delete","task":"b"}],"#
                    + #"[{"opId":"o2","op":"update","task":"c","set":{"done":true}}]]}"#
            ])
    }
}
