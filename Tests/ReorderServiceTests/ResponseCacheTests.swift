import ReorderEngine
import ReorderJSON
import ReorderStore
import StoreTesting
import Testing

@testable import ReorderService

/// The response cache for reads of a list.
@Suite struct ResponseCacheTests {
    private final class Sheet: CachedResponse {
        let byteCount: Int
        init(byteCount: Int = 100) { self.byteCount = byteCount }
    }

    private let whole = ResponseCacheKey(ListDocument.Window())

    private func kept(_ reading: ListReading) -> Sheet? {
        guard case .kept(let rendering) = reading.content else { return nil }
        return rendering as? Sheet
    }

    private func read(
        _ service: ListService, as key: ResponseCacheKey
    ) -> Pending<ListReading> {
        service.pending { $0.read("l", as: { _ in key }, $1) }
    }

    @Test func aResponseIsCachedUntilTheListChanges() throws {
        let service = ListService.quiet(MemoryListStore())
        try service.make("l", ["a", "b"])
        let first = try read(service, as: whole).value()
        #expect(kept(first) == nil)
        let sheet = Sheet()
        service.keep(sheet, of: first)
        #expect(kept(try read(service, as: whole).value()) === sheet)
        #expect(kept(try read(service, as: ResponseCacheKey(.init(limit: 1))).value()) == nil)
        let compressed = ResponseCacheKey(.init(), isCompressed: true)
        #expect(kept(try read(service, as: compressed).value()) == nil)

        _ = try service.ask(.move("a", to: 1, in: "l")).value()
        let second = try read(service, as: whole).value()
        #expect(second.version == 2)
        #expect(kept(second) == nil)
        // Too late: this rendering is of the previous version.
        service.keep(sheet, of: first)
        #expect(kept(try read(service, as: whole).value()) == nil)
        try service.stopIdle()
    }

    /// A version that fails was never visible. So a rendering that was begun meanwhile is of the
    /// version before, and stays cached.
    @Test func aFailedVersionLeavesTheCache() throws {
        let store = GatedStore()
        let service = ListService.quiet(store)
        try service.make("l", ["a", "b", "c"])
        store.hold()
        let failed = service.ask(.move("a", to: 1, in: "l"))
        _ = try store.nextBatch()
        let reading = try read(service, as: whole).value()
        #expect(reading.version == 1)
        store.fail()
        #expect(try failed.failure() == "unavailable")
        let sheet = Sheet()
        service.keep(sheet, of: reading)
        #expect(kept(try read(service, as: whole).value()) === sheet)
        store.open()
        _ = try service.ask(.move("a", to: 2, in: "l")).value()
        service.keep(sheet, of: reading)
        let current = try read(service, as: whole).value()
        #expect(current.version == 2)
        #expect(kept(current) == nil)
        try service.stopIdle()
    }

    @Test func aResponseTooLargeToCacheIsSharedWhileInUse() throws {
        let service = ListService.quiet(MemoryListStore())
        try service.make("l", ["a", "b"])
        let reading = try read(service, as: whole).value()
        do {
            let large = Sheet(byteCount: 1 << 40)
            service.keep(large, of: reading)
            #expect(kept(try read(service, as: whole).value()) === large)
        }
        #expect(kept(try read(service, as: whole).value()) == nil)
        let large = Sheet(byteCount: 1 << 40)
        service.keep(large, of: reading)
        _ = try service.ask(.move("a", to: 1, in: "l")).value()
        #expect(kept(try read(service, as: whole).value()) == nil, "another version")
        try service.stopIdle()
    }

    @Test func aCachedResponseIsSentAtOnceAlsoDuringAnAppend() throws {
        let store = GatedStore()
        let service = ListService.quiet(store)
        func kept(_ key: ResponseCacheKey) -> Sheet? {
            service.kept(of: "l") { _ in key } as? Sheet
        }

        #expect(kept(whole) == nil)
        #expect(service.loadedListCount == 0, "a lookup in the response cache loads no list")
        try service.make("l", ["a", "b"])
        #expect(kept(whole) == nil)
        let sheet = Sheet()
        service.keep(sheet, of: try read(service, as: whole).value())
        #expect(kept(whole) === sheet)
        #expect(service.kept(of: "l") { $0 == 1 ? whole : nil } === sheet)

        store.hold()
        let move = service.ask(.move("a", to: 1, in: "l"))
        _ = try store.nextBatch()
        #expect(kept(whole) === sheet)
        let reading = read(service, as: whole)
        #expect(reading.isAnswered)
        #expect(try reading.value().version == 1)
        #expect(self.kept(try reading.value()) === sheet)
        store.pass()
        #expect(try move.value().version == 2)
        #expect(kept(whole) == nil, "the rendering is of the version before")
        #expect(try read(service, as: whole).value().version == 2)
        store.open()
        try service.stopIdle()
    }

    @Test func onlyTheNewestResponsesAreCached() throws {
        let service = ListService.quiet(MemoryListStore())
        try service.make("l", ["a"])
        for limit in 0..<20 {
            let reading = try read(service, as: ResponseCacheKey(.init(limit: limit))).value()
            service.keep(Sheet(), of: reading)
        }
        let isKept = try (0..<20).map { limit in
            kept(try read(service, as: ResponseCacheKey(.init(limit: limit))).value()) != nil
        }
        #expect(isKept == (0..<20).map { $0 >= 12 })
        try service.stopIdle()
    }

    @Test func onlyTheNewestLargeResponsesAreShared() throws {
        let service = ListService.quiet(MemoryListStore())
        try service.make("l", ["a"])
        var inUse: [Sheet] = []
        for limit in 0..<20 {
            let reading = try read(service, as: ResponseCacheKey(.init(limit: limit))).value()
            let large = Sheet(byteCount: 1 << 40)
            inUse.append(large)
            service.keep(large, of: reading)
        }
        let isShared = try (0..<20).map { limit in
            kept(try read(service, as: ResponseCacheKey(.init(limit: limit))).value()) != nil
        }
        #expect(isShared == (0..<20).map { $0 >= 12 })
        withExtendedLifetime(inUse) {}
        try service.stopIdle()
    }

    @Test func cachedResponsesCountTowardsTheCacheLimit() throws {
        let service = ListService.quiet(MemoryListStore(), limits: .init(cacheBytes: 80_000))
        for index in 0..<20 { try service.make("l\(index)", ["t\(index)"]) }
        #expect(service.loadedListCount == 20)
        for index in 0..<20 {
            let reading = try service.pending { [whole] in
                $0.read("l\(index)", as: { _ in whole }, $1)
            }.value()
            service.keep(Sheet(byteCount: 10_000), of: reading)
        }
        #expect(service.loadedListCount <= 8)

        try service.make("l", ["t"])
        service.keep(Sheet(byteCount: 10_001), of: try read(service, as: whole).value())
        #expect(kept(try read(service, as: whole).value()) == nil, "more than an eighth")
        try service.stopIdle()
    }
}
