import Dispatch
import ReorderEngine
import ReorderStore
import Synchronization
import Testing

@testable import ReorderService

/// How a search uses memory and threads. `Tests/ReorderAPITests/Scenarios/SearchTests.swift` tests
/// its results.
@Suite struct SearchResourceTests {
    private let store = GatedStore()

    private func makeCold(_ lists: [String: [String]]) throws -> ListService {
        let first = ListService.quiet(store)
        for (list, tasks) in lists { try first.make(list, tasks) }
        try first.stop()
        return .quiet(store)
    }

    private func search(
        _ service: ListService, after start: SearchMark? = nil, limit: Int = 1_000
    ) throws -> SearchPage {
        let page = try service.waiting { context throws(ServiceError) in
            try service.search(
                nil, in: nil, TaskFilter(), after: start, limit: limit, context)
        }
        return try #require(page)
    }

    @Test func aSearchDoesNotKeepSmallListsInMemory() throws {
        let names = (10..<60).map { "l\($0)" }
        let service = try makeCold(
            Dictionary(uniqueKeysWithValues: names.map { ($0, ["\($0)-a", "\($0)-b"]) }))
        let page = try search(service)
        #expect(page.tasks.count == 100 && page.end == nil)
        #expect(service.loadedListCount == 0)
        // A list in memory is not read from the store.
        _ = try service.versionedList(of: "l10")
        let before = store.loadCount.load(ordering: .relaxed)
        #expect(try search(service).tasks.count == 100)
        #expect(store.loadCount.load(ordering: .relaxed) == before + 49)
        try service.stop()
    }

    /// Its pages need it several times.
    @Test func aLargeListIsLoadedIntoMemoryByAPageOfItsOwn() throws {
        let many = (0...ListService.Limits().tasksOnLoop).map { "t\($0)" }
        let service = try makeCold(["a": ["a1"], "b": many, "c": ["c1"]])
        var page = try search(service)
        #expect(page.tasks.map(\.task.id) == ["a1"])
        #expect(page.end == SearchMark(list: "a", mark: nil))
        #expect(service.loadedListCount == 0)
        var found = page.tasks.map(\.task.id)
        while let end = page.end {
            page = try search(service, after: end)
            found += page.tasks.map(\.task.id)
        }
        #expect(found == ["a1"] + many + ["c1"])
        #expect(service.loadedListCount == 1)
        try service.stop()
    }

    /// Runs once on the thread of its request, and then on a worker.
    private final class CountedSearch: RequestHost, @unchecked Sendable {
        let context: RequestContext
        let runs = Atomic<Int>(0)
        let resumed = DispatchSemaphore(value: 0)

        init(_ service: ListService) {
            context = RequestContext(service)
            context.host = self
        }

        func run() {
            runs.add(1, ordering: .relaxed)
            do throws(ServiceError) {
                _ = try context.service.search(
                    nil, in: nil, TaskFilter(), after: nil, limit: 10, context)
            } catch {
                if case .waiting = error { return context.suspend() }
            }
            context.decided()
        }

        func resume() { resumed.signal() }
    }

    @Test(arguments: [false, true])
    func aSearchThatWasAbandonedIsNotBegun(isAbandoned: Bool) throws {
        let service = try makeCold(["l": ["a"]])
        let gate = DispatchSemaphore(value: 0)
        let threads = 0..<WorkerThreads.Size.search.threadCount
        for _ in threads { #expect(service.workers.run(.search) { gate.wait() }) }
        let search = CountedSearch(service)
        guard case .run = search.context.next(isResumed: true) else {
            Issue.record("the search does not run")
            return
        }
        search.run()
        #expect(search.context.isSearching)
        if isAbandoned { search.context.abandonSearch() }
        for _ in threads { gate.signal() }
        search.resumed.wait()
        switch search.context.next(isResumed: true) {
        case .fail(.unavailable): #expect(isAbandoned)
        case .finish: #expect(!isAbandoned)
        default: Issue.record("the search has no result")
        }
        #expect(search.runs.load(ordering: .relaxed) == (isAbandoned ? 1 : 2))
        search.context.end(isDone: !isAbandoned)
        try service.stop()
    }

    @Test func aSearchDoesNotDelayAnEventLoop() throws {
        let service = try makeCold(["l": ["a"], "m": ["b"]])
        let loop = EventLoopThread(service: service)
        store.holdReads(of: "l")
        let found = loop.run { service, context throws(ServiceError) in
            try service.search(nil, in: nil, TaskFilter(), after: nil, limit: 10, context)
        }
        try store.nextRead()
        #expect(try loop.read("m").value().version == 1)
        #expect(!found.isAnswered)
        store.passRead()
        #expect(try found.value()?.tasks.map(\.task.id) == ["a", "b"])
        try service.stop()
    }
}
