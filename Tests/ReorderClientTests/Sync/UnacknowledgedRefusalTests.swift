import Foundation
import RandomRuns
import ReorderEngine
import ReorderJSON
import Testing

@testable import ReorderClient

/// Refusals that the app has not acknowledged yet.
@Suite struct UnacknowledgedRefusalTests {
    private func machine(_ storage: MemoryStorage) throws -> SyncMachine {
        try SyncMachine(
            list: "l", storage: storage, newClient: "me", random: SeededGenerator(seed: 1))
    }

    /// A machine with an empty list.
    private func machineWithList(_ storage: MemoryStorage) throws -> SyncMachine {
        var machine = try machine(storage)
        machine.advance(to: 0)
        machine.receive(.head(status: 200, headers: [:]), of: 1, at: 0)
        let json = #"{"id":"l","title":"","version":1,"tasks":[]}"#
        machine.receive(.bytes(Array(json.utf8)), of: 1, at: 0)
        machine.receive(.end(isComplete: true), of: 1, at: 0)
        return machine
    }

    private func refusal(_ number: Int) -> Refused {
        Refused(
            PendingOperation(id: "o\(number)", command: .delete("t\(number)")),
            ServerProblem(code: "locked", detail: "Détail \(number)"))
    }

    @Test func refusalsAreStoredUntilTheyAreAcknowledged() throws {
        let storage = MemoryStorage()
        var machine = try machineWithList(storage)
        let refused = (0..<3).map(refusal)
        machine.refuse(refused)
        var again = try self.machine(storage)
        #expect(again.refusals == refused)
        #expect(again.refusals.map(\.tasks) == [["t0"], ["t1"], ["t2"]])
        again.acknowledge(["o1"])
        #expect(try self.machine(storage).refusals == [refused[0], refused[2]])
        again.acknowledge(["o0", "o2", "none"])
        #expect(try self.machine(storage).refusals.isEmpty)
    }

    /// When most of a file is history, it is written again from what the machine knows.
    @Test func refusalsStayWhenTheFileIsRewritten() throws {
        let storage = MemoryStorage()
        var machine = try machineWithList(storage)
        let refused = (0..<3).map(refusal)
        machine.refuse(refused)
        machine.acknowledge(["o1"])
        let task = TaskContent(id: "w", title: "")
        _ = try machine.perform([.create(task, at: Destination())], id: "w", at: 0)
        var (version, isRewritten) = (1, false)
        while !isRewritten, version < 1_000 {
            version += 1
            let title = String(repeating: "x", count: 1_000) + "\(version)"
            machine.take([
                ChangeDocument(
                    version: version, at: Date(), client: nil,
                    operations: [.list(set: SettingsUpdate(title: title))])
            ])
            for case .rewriteFile in machine.takeEffects() {
                machine.rewriteFile()
                isRewritten = true
            }
        }
        #expect(isRewritten && storage.bytes.count < 10_000)
        var again = try self.machine(storage)
        #expect(again.refusals == [refused[0], refused[2]])
        #expect(again.local?.waiting.map(\.id) == ["w"] && again.local?.version == version)
        #expect(again.client == "me")
        again.acknowledge(["o0", "o2"])
        #expect(try self.machine(storage).refusals.isEmpty)
    }

    @Test func anOperationRefusedTwiceIsReportedOnce() throws {
        var machine = try machineWithList(MemoryStorage())
        machine.refuse([refusal(1)])
        machine.refuse([refusal(1), refusal(2)])
        #expect(machine.refusals == [refusal(1), refusal(2)])
    }

    @Test func theNewestTenThousandRefusalsAreStored() throws {
        let storage = MemoryStorage()
        var machine = try machineWithList(storage)
        let refused = (0...10_000).map(refusal)
        machine.refuse(Array(refused.prefix(10_000)))
        #expect(machine.refusals.count == 10_000)
        machine.refuse([refused[10_000]])
        #expect(machine.refusals == Array(refused.dropFirst()))
        #expect(try self.machine(storage).refusals == machine.refusals)
        machine.acknowledge(Set(machine.refusals.map(\.id)))
        #expect(try self.machine(storage).refusals.isEmpty)
    }
}
