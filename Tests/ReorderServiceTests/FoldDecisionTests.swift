import ReorderEngine
import ReorderStore
import StoreTesting
import Testing

@testable import ReorderService

/// Entries of a list of folds, which several devices of a person change at once.
@Suite struct FoldDecisionTests {
    private func fold(_ task: TaskID, _ isFolded: Bool, _ entry: TaskID) -> WriteRequest {
        WriteRequest(list: "folds", action: .fold(task, isFolded, newEntry: entry))
    }

    /// Each device has seen no entry of the task, and sends an id for a new one.
    @Test func twoDevicesMakeOneEntry() throws {
        let service = ListService.quiet(MemoryListStore())
        try service.make("folds", [])
        #expect(try service.ask(fold("a", true, "e1")).value().changed)
        #expect(try !service.ask(fold("a", true, "e2")).value().changed)
        #expect(try service.ask(fold("a", false, "e3")).value().changed)
        #expect(try service.order("folds") == ["e1"])
        try service.stopIdle()
    }

    @Test func theLimitHoldsForConcurrentRequests() throws {
        let service = ListService.quiet(MemoryListStore())
        try service.make("folds", (0..<Folds.maximumEntries - 5).map { "old\($0)" })
        let asked = (0..<20).map { service.ask(fold("t\($0)", true, "e\($0)")) }
        let results = try asked.map { try $0.wait() }
        #expect(results.count { (try? $0.get()) != nil } == 5)
        #expect(try service.order("folds").count == Folds.maximumEntries)
        #expect(try service.ask(fold("other", true, "new")).failure() == "listFull")
        // An entry that exists can be changed.
        #expect(try service.ask(fold("t0", false, "new")).value().changed)
        try service.stopIdle()
    }
}
