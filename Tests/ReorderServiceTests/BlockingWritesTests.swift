import ReorderEngine
import ReorderStore
import StoreTesting
import Testing

@testable import ReorderService

/// Writes that one thread begins at once.
@Suite struct BlockingWritesTests {
    private let store = GatedStore()

    private func create(_ list: String) -> WriteRequest {
        let content = ReorderableList(settings: ListSettings(title: list))
        return WriteRequest(list: list, action: .create(content))
    }

    /// Whether the write that was started first fails.
    private func hasFailed(_ writes: inout BlockingWrites) -> Bool {
        (try? writes.finishFirst()) == nil
    }

    @Test func resultsAreInTheOrderOfTheStarts() throws {
        let service = ListService.quiet(store)
        var writes = BlockingWrites(service)
        let names = (0..<500).map { "list-\($0)" }
        for name in names { writes.start(create(name)) }
        for name in names { #expect(try writes.finishFirst().list == name) }
        try service.stopIdle()
    }

    @Test func aFailedWriteDoesNotAffectTheOthers() throws {
        let service = ListService.quiet(store)
        _ = try service.write(create("a"))
        var writes = BlockingWrites(service)
        for name in ["b", "a", "c"] { writes.start(create(name)) }
        #expect(try writes.finishFirst().list == "b")
        #expect(hasFailed(&writes))
        #expect(try writes.finishFirst().list == "c")
        store.fails(.unavailable(reason: "a full disk"))
        writes.start(create("d"))
        #expect(hasFailed(&writes))
        store.fails(nil)
        writes.start(create("e"))
        #expect(try writes.finishFirst().list == "e")
        #expect(try service.versionedList(of: "e").version == 1)
        #expect((try? service.versionedList(of: "d")) == nil)
        try service.stopIdle()
    }

    /// Each write first waits for a lookup in the shared store.
    @Test func writesToASharedStoreWaitForTheirLookupsTogether() throws {
        let memory = SharedMemory()
        let service = ListService.quiet(SharedFront(memory))
        var writes = BlockingWrites(service)
        let names = (0..<200).map { "list-\($0)" }
        for name in names { writes.start(create(name)) }
        for name in names { #expect(try writes.finishFirst().list == name) }
        #expect(try service.versionedList(of: "list-199").version == 1)
        try service.stopIdle()
    }
}
