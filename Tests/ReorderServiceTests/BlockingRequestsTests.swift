import ReorderEngine
import ReorderStore
import Testing

@testable import ReorderService

/// Requests that one thread runs at once.
@Suite struct BlockingRequestsTests {
    private let store = GatedStore()

    private func create(_ list: String) -> WriteRequest {
        let content = ReorderableList(settings: ListSettings(title: list))
        return WriteRequest(list: list, action: .create(content))
    }

    /// Whether the request that was started first fails.
    private func hasFailed(_ requests: BlockingRequests<WriteResult>) -> Bool {
        (try? requests.finishFirst()) == nil
    }

    @Test func resultsAreInTheOrderOfTheStarts() throws {
        let service = ListService.quiet(store)
        let requests = BlockingRequests<WriteResult>(service)
        let names = (0..<500).map { "list-\($0)" }
        for name in names { requests.start(create(name)) }
        for name in names { #expect(try requests.finishFirst().list == name) }
        try service.stop()
    }

    @Test func aFailedWriteDoesNotAffectTheOthers() throws {
        let service = ListService.quiet(store)
        _ = try service.write(create("a"))
        let requests = BlockingRequests<WriteResult>(service)
        for name in ["b", "a", "c"] { requests.start(create(name)) }
        #expect(try requests.finishFirst().list == "b")
        #expect(hasFailed(requests))
        #expect(try requests.finishFirst().list == "c")
        store.fails(.unavailable(reason: "a full disk"))
        requests.start(create("d"))
        #expect(hasFailed(requests))
        store.fails(nil)
        requests.start(create("e"))
        #expect(try requests.finishFirst().list == "e")
        #expect(try service.versionedList(of: "e").version == 1)
        #expect((try? service.versionedList(of: "d")) == nil)
        try service.stop()
    }

    @Test func finishedRequestsAreReleased() throws {
        let service = ListService.quiet(store)
        weak var released: BlockingRequests<Int>?
        do {
            let requests = BlockingRequests<Int>(service)
            released = requests
            for number in 0..<3 { requests.start { _ in number } }
            for number in 0..<3 { #expect(try requests.finishFirst() == number) }
        }
        #expect(released == nil)
        try service.stop()
    }

    /// Each write first waits for a lookup in the shared store.
    @Test func writesToASharedStoreWaitForTheirLookupsTogether() throws {
        let memory = SharedMemory()
        let service = ListService.quiet(SharedFront(memory))
        let requests = BlockingRequests<WriteResult>(service)
        let names = (0..<200).map { "list-\($0)" }
        for name in names { requests.start(create(name)) }
        for name in names { #expect(try requests.finishFirst().list == name) }
        #expect(try service.versionedList(of: "list-199").version == 1)
        try service.stop()
    }
}
