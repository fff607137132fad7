import ReorderEngine
import ReorderJSON
import ReorderStore
import StoreTesting
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
        try first.stopIdle()
        return .quiet(store)
    }

    private func search(
        _ service: ListService, after start: SearchCursor? = nil, limit: Int = 1_000
    ) throws -> SearchPage {
        var search = TaskSearch(nil, with: nil, TaskFilter(), after: start, limit: limit)
        while true {
            switch try service.search(search) {
            case .needs(let id):
                let list = try service.pending { $0.versionedListIfAny(of: id, $1) }.value()
                search = search.with(list, as: id)
            case .page(let page): return try #require(page)
            }
        }
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
        try service.stopIdle()
    }

    /// Its pages need it several times.
    @Test func aLargeListIsLoadedIntoMemoryByAPageOfItsOwn() throws {
        let many = (0...ServiceLimits().tasksOnLoop).map { "t\($0)" }
        let service = try makeCold(["a": ["a1"], "b": many, "c": ["c1"]])
        var page = try search(service)
        #expect(page.tasks.map(\.task.id) == ["a1"])
        #expect(page.end == SearchCursor(list: "a", cursor: nil))
        #expect(service.loadedListCount == 0)
        var found = page.tasks.map(\.task.id)
        while let end = page.end {
            page = try search(service, after: end)
            found += page.tasks.map(\.task.id)
        }
        #expect(found == ["a1"] + many + ["c1"])
        #expect(service.loadedListCount == 1)
        try service.stopIdle()
    }

    @Test func aPageThatBeginsInASmallListGoesOnWithTheNextList() throws {
        let service = try makeCold(["a": ["a1", "a2"], "b": ["b1"]])
        let first = try search(service, limit: 1)
        #expect(first.tasks.map(\.task.id) == ["a1"])
        let rest = try search(service, after: first.end)
        #expect(rest.tasks.map(\.task.id) == ["a2", "b1"])
        #expect(rest.end == nil)
        try service.stopIdle()
    }

    /// A short request can compare 8 KiB of data for each task, several times.
    @Test(arguments: [(100, 10, false), (101, 10, true), (3, 8_000, false), (20, 8_000, true)])
    func workersCompareLongTexts(count: Int, length: Int, isLong: Bool) throws {
        let service = ListService.quiet(store)
        let tasks = (0..<count).map { "t\($0)" }
        try service.make("l", tasks)
        let patch = TaskUpdate(data: "\"\(String(repeating: "x", count: length))\"")
        for task in tasks {
            let update = WriteRequest(list: "l", action: .command(.update(task, patch)))
            _ = try service.ask(update).value()
        }
        let list = try service.read("l").value()
        let filter = TaskFilter(data: [try DataFilter("data.a")])
        #expect(service.isLong(filter, of: list, after: nil, limit: 1) == isLong)
        #expect(!service.isLong(TaskFilter(), of: list, after: nil, limit: 1))
        #expect(service.isLong(toOrder: list, after: nil) == isLong)
        let found = tasks.compactMap { list.found($0) }
        #expect(service.isLong(filter, of: found) == (count * length > 64 << 10))
        #expect(!service.isLong(TaskFilter(), of: found))
        try service.stopIdle()
    }

    @Test(arguments: [(20, false), (21, true)])
    func workersReadManySections(count: Int, isLong: Bool) throws {
        var limits = ServiceLimits()
        limits.tasksOnLoop = 20
        let service = ListService.quiet(store, limits: limits)
        try service.make("l", ["a"])
        for index in 0..<count {
            let section = Command.createSection("s\(index)", title: "S", position: nil)
            _ = try service.ask(WriteRequest(list: "l", action: .command(section))).value()
        }
        let list = try service.read("l").value()
        #expect(service.isLong(toReadSectionsOf: list, after: nil) == isLong)
        try service.stopIdle()
    }
}
