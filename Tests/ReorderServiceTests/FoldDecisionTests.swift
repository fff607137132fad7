import ReorderEngine
import ReorderStore
import Testing

@testable import ReorderService

/// Requests that have read the same version of a list of folds.
@Suite struct FoldDecisionTests {
    /// A request that folds a task of list `l`, and has read the list of folds `f`.
    private func fold(
        _ task: TaskID, entry: TaskID, _ service: ListService
    ) throws -> WriteRequest {
        let fold = try service.pending { service, context throws(ServiceError) in
            let folds = try service.folds("f", context)
            let list = try service.durableList("l", context)
            return try folds.fold(task, true, in: list) { entry }.fold
        }.value()
        return WriteRequest(list: "f", action: .fold(fold))
    }

    @Test func twoRequestsFoldATaskWithOneEntry() throws {
        let service = ListService.quiet(MemoryListStore())
        try service.make("l", ["a"])
        try service.make("f", [])
        let requests = try ["e1", "e2"].map { try fold("a", entry: $0, service) }
        #expect(try service.ask(requests[0]).value().changed)
        #expect(try service.ask(requests[1]).value().changed == false)
        #expect(try service.order("f") == ["e1"])
        try service.stop()
    }

    @Test func twoRequestsDoNotExceedTheMaximumOfEntries() throws {
        let service = ListService.quiet(MemoryListStore())
        try service.make("l", ["a", "b"])
        try service.make("f", (1..<Folds.maximumEntries).map { "x\($0)" })
        let requests = try ["a", "b"].map { try fold($0, entry: "entry-\($0)", service) }
        #expect(try service.ask(requests[0]).value().changed)
        #expect(try service.ask(requests[1]).failure() == "listFull")
        #expect(try service.order("f").count == Folds.maximumEntries)
        try service.stop()
    }
}
