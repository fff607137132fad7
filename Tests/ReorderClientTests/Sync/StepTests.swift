import ReorderEngine
import ReorderJSON
import Testing

@testable import ReorderClient

/// A step of the user with several operations: one change on the server, or none.
@Suite struct StepTests {
    /// Makes steps while nothing is sent, then lets them be sent.
    private func make(_ steps: [[Command]], in machine: inout MachineUnderTest) {
        machine.update { machine, now in
            machine.writing = .waiting(until: .infinity)
            for step in steps { _ = try? machine.perform(step, at: now) }
            machine.writing = .waiting(until: now)
            machine.advance(to: now)
        }
    }

    private func create(_ id: String) -> Command {
        .create(TaskContent(id: id, title: ""), at: Destination())
    }

    private func sizes(_ machine: MachineUnderTest) -> [Int]? { machine.steps?.map(\.count) }

    @Test func aBatchHasManySteps() throws {
        var machine = try MachineUnderTest()
        make(
            [
                [create("d")], [create("e")], [.delete("a"), .delete("b")],
                [.delete("c"), .delete("d")], [create("f")],
            ], in: &machine)
        #expect(sizes(machine) == [1, 1, 2, 2, 1])
        try machine.answerBatch()
        #expect(machine.machine.isSettled)
    }

    @Test func aStepIsSentAsAWhole() throws {
        var machine = try MachineUnderTest()
        // Nothing waits, so the first operation could be sent at once.
        machine.update { _ = try? $0.perform([.delete("a"), .delete("b")], at: $1) }
        #expect(sizes(machine) == [2])
    }

    /// A batch has at most 1,000 operations, and no part of a step.
    @Test func aStepThatDoesNotFitIsInTheNextBatch() throws {
        var machine = try MachineUnderTest()
        make(
            [
                (0..<600).map { create("x\($0)") }, (0..<600).map { create("y\($0)") },
                [create("z")],
            ], in: &machine)
        #expect(sizes(machine) == [600])
        try machine.answerBatch()
        #expect(sizes(machine) == [600, 1])
    }

    @Test func aRefusedStepIsRefusedAsAWhole() throws {
        var machine = try MachineUnderTest()
        make([[.delete("a"), .delete("b")], [.delete("c")]], in: &machine)
        let refusal =
            #"{"status":409,"problem":{"status":409,"code":"locked","detail":"It is locked."}}"#
        try machine.answer(
            MachineUnderTest.batch,
            body: #"{"version":4,"results":[\#(refusal),\#(refusal),{"status":200}]}"#)
        #expect(machine.refused.map(\.tasks) == [["a"], ["b"]])
        #expect(machine.refused.map(\.code) == ["locked", "locked"])
        #expect(machine.machine.local?.displayed.tasks.map(\.id) == ["a", "b"])
        #expect(machine.machine.isSettled)
    }

    /// Nothing of it would be applied by the server either.
    @Test func aStepThatCannotBeAppliedIsNotShownInPart() throws {
        var machine = try MachineUnderTest()
        try machine.openStream()
        make([[.delete("b"), .update("a", TaskChanges(done: true))]], in: &machine)
        try machine.receive(
            "change",
            #"{"version":4,"at":"2025-01-01T00:00:00Z","ops":[{"op":"delete","task":"a"}]}"#)
        #expect(machine.machine.local?.displayed.tasks.map(\.id) == ["b", "c"])
        #expect(machine.machine.status.pending == 2)
    }

    @Test func aStepWithMoreOperationsThanABatchIsSentInParts() throws {
        var machine = try MachineUnderTest()
        make([(0..<1_001).map { create("x\($0)") }], in: &machine)
        #expect(sizes(machine) == [1_000])
        try machine.answerBatch()
        #expect(sizes(machine) == [1])
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
