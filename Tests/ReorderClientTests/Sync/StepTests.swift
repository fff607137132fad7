import ReorderEngine
import ReorderJSON
import Testing

@testable import ReorderClient

/// A step of the user with several operations: one change on the server, or none.
@Suite struct StepTests {
    private func isAtomic(_ machine: MachineUnderTest) throws -> Bool {
        let request = try #require(machine.request(MachineUnderTest.batch))
        return String(decoding: request.body, as: UTF8.self).contains(#""atomic":true"#)
    }

    /// Makes steps while nothing is sent, then lets them be sent.
    private func make(_ steps: [[Intent]], in machine: inout MachineUnderTest) {
        machine.update { machine, now in
            machine.writing = .waiting(until: .infinity)
            for step in steps { _ = try? machine.perform(step, at: now) }
            machine.writing = .waiting(until: now)
            machine.advance(to: now)
        }
    }

    private func create(_ id: String) -> Intent {
        .create(TaskContent(id: id, title: ""), at: Destination())
    }

    @Test func aStepIsABatchOfItsOwn() throws {
        var machine = try MachineUnderTest()
        make(
            [
                [create("d")], [create("e")], [.delete("a"), .delete("b")],
                [.delete("c"), .delete("d")], [create("f")],
            ], in: &machine)
        var sizes: [Int] = []
        var atomic: [Bool] = []
        while let batch = machine.batch {
            sizes.append(batch.count)
            atomic.append(try isAtomic(machine))
            try machine.answerBatch()
        }
        #expect(sizes == [2, 2, 2, 1])
        #expect(atomic == [false, true, true, false])
        #expect(machine.machine.isSettled)
    }

    @Test func aStepIsSentAsAWhole() throws {
        var machine = try MachineUnderTest()
        // Nothing waits, so the first operation could be sent at once.
        machine.update { _ = try? $0.perform([.delete("a"), .delete("b")], at: $1) }
        #expect(machine.batch?.count == 2)
        #expect(try isAtomic(machine))
    }

    @Test(arguments: [404, 409, 422])
    func aRefusedOperationRefusesItsStep(status: Int) throws {
        var machine = try MachineUnderTest()
        make([[.delete("a"), .delete("b")], [.delete("c")]], in: &machine)
        try machine.answer(
            MachineUnderTest.batch, status: status,
            body: #"{"code":"locked","detail":"It is locked.","pointer":"/ops/1"}"#)
        #expect(machine.refused.map(\.tasks) == [["a"], ["b"]])
        #expect(machine.refused.map(\.code) == ["locked", "locked"])
        #expect(machine.machine.local?.displayed.contains("a") == true)
        #expect(machine.batch?.count == 1, "the next step follows")
        #expect(machine.machine.local?.pending.count == 1)
    }

    /// Another conflict than a refusal passes.
    @Test func aStepIsSentAgainAfterAConflictWithoutAPointer() throws {
        var machine = try MachineUnderTest()
        make([[.delete("a"), .delete("b")]], in: &machine)
        try machine.answer(
            MachineUnderTest.batch, status: 409, body: #"{"code":"request_in_progress"}"#)
        #expect(machine.refused.isEmpty)
        machine.pass(seconds: 60)
        #expect(machine.batch?.count == 2)
        #expect(try isAtomic(machine))
    }

    @Test func aStepThatIsTooLargeIsSentInParts() throws {
        var machine = try MachineUnderTest()
        make([(0..<4).map { create("x\($0)") }], in: &machine)
        try machine.answer(
            MachineUnderTest.batch, status: 413, body: #"{"code":"body_too_large"}"#)
        #expect(machine.refused.isEmpty && machine.batch?.count == 2)
        #expect(try !isAtomic(machine))
        try machine.answerBatch()
        #expect(machine.batch?.count == 2)
        #expect(try !isAtomic(machine))
        try machine.answerBatch()
        #expect(machine.machine.isSettled)
    }

    @Test func aStepWithMoreOperationsThanABatchIsSentInParts() throws {
        var machine = try MachineUnderTest()
        make([(0..<1_001).map { create("x\($0)") }], in: &machine)
        #expect(machine.batch?.count == 1_000)
        #expect(try !isAtomic(machine))
    }

    /// The app ends after the step was sent: it is sent again as the same step.
    @Test func aStepSurvivesTheEndOfTheApp() throws {
        let storage = MemoryStorage()
        var first = try SyncMachine(
            list: "l", storage: storage, newClient: "me", random: SystemRandomNumberGenerator())
        let list = ReorderableList(settings: ListSettings(title: ""))
        first.begin(with: LocalList(base: list, at: SyncPoint(version: 1)))
        first.appendRecord(
            .document(ListDocument.json(id: "l", version: 1, epoch: nil, of: list)))
        _ = try first.perform([create("a"), create("b")], at: 0)
        let second = try SyncMachine(
            list: "l", storage: storage, newClient: "me", random: SystemRandomNumberGenerator())
        let pending = try #require(second.local?.pending)
        #expect(PendingOperation.stepLength(in: pending[...]) == 2)
    }
}
