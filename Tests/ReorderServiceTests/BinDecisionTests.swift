import Foundation
import ReorderEngine
import ReorderStore
import StoreTesting
import Testing

@testable import ReorderService

/// The bin, on the service.
@Suite struct BinDecisionTests {
    private static let restore = WriteRequest(list: "l", action: .restore)
    private static let delete = WriteRequest(list: "l", action: .deleteList())
    private static let purge = WriteRequest(list: "l", action: .deleteList(isPermanent: true))

    private func bin(_ service: ListService) throws -> [BinEntry] {
        try service.pending { $0.bin(of: nil, after: nil, limit: 9, $1) }.value().lists
    }

    @Test func aRestoreWaitsForADeletionThatIsNotDurable() throws {
        let store = GatedStore()
        let service = ListService.quiet(store)
        try service.make("l", ["a", "b"])
        store.hold()
        let deleted = service.ask(Self.delete)
        _ = try store.nextBatch()
        let restored = service.ask(Self.restore)
        store.pass()
        #expect(try deleted.value().version == 2)
        #expect(try store.nextBatch().map(\.version) == [3])
        #expect(!restored.isAnswered)
        store.pass()
        let answer = try restored.value()
        #expect(answer.version == 3 && answer.created)
        store.open()
        #expect(try service.order("l") == ["a", "b"])
        #expect(try bin(service) == [])
        try service.stopIdle()
    }

    /// While a restore reads the bin, the list is created and deleted again. A second restore then begins.
    @Test func aRestoreBringsBackTheListThatWasDeletedLast() throws {
        let store = GatedStore()
        let service = ListService.quiet(store)
        try service.make("l", ["old"])
        _ = try service.ask(Self.delete).value()
        store.holdReads(of: "bin l")
        let first = service.ask(Self.restore)
        try store.nextRead()
        try service.make("l", ["new"])
        _ = try service.ask(Self.delete).value()
        let second = service.ask(Self.restore)
        // It reads the bin itself.
        try store.nextRead()
        for _ in 0..<2 { store.passRead() }
        let outcomes = [try first.failure(), try second.failure()]
        #expect(try service.order("l") == ["new"])
        #expect(outcomes.count { $0 == "listNotDeleted" } == 1)
        #expect(try bin(service) == [])
        try service.stopIdle()
    }

    @Test func aDeletionThatFailsLeavesTheBinEmpty() throws {
        let store = GatedStore()
        let service = ListService.quiet(store)
        try service.make("l", ["a"])
        store.hold()
        let deleted = service.ask(Self.delete)
        _ = try store.nextBatch()
        store.fail()
        #expect(try deleted.failure() == "unavailable")
        store.open()
        #expect(try service.ask(Self.restore).failure() == "listNotDeleted")
        #expect(try bin(service) == [])
        #expect(try service.order("l") == ["a"])
        try service.stopIdle()
    }

    @Test func aRestoreThatFailsCanBeRepeated() throws {
        let store = GatedStore()
        let service = ListService.quiet(store)
        try service.make("l", ["a"])
        _ = try service.ask(Self.delete).value()
        store.hold()
        let restored = service.ask(Self.restore)
        _ = try store.nextBatch()
        store.fail()
        #expect(try restored.failure() == "unavailable")
        store.open()
        #expect(try bin(service).map(\.id) == ["l"])
        #expect(try service.ask(Self.restore).value().version == 3)
        #expect(try service.order("l") == ["a"])
        try service.stopIdle()
    }

    @Test func eachListIsRestoredOnceByManyRequests() throws {
        let service = ListService.quiet(MemoryListStore())
        try service.make("l", ["a"])
        _ = try service.ask(Self.delete).value()
        let restores = (0..<20).map { _ in service.ask(Self.restore) }
        let results = try restores.map { try $0.wait() }
        let versions = results.compactMap { try? $0.get().version }
        #expect(versions == [3])
        #expect(try service.order("l") == ["a"])
        try service.stopIdle()
    }

    // MARK: Expiry

    @Test func withoutABinDeletionsArePermanent() throws {
        let store = MemoryListStore()
        let service = ListService.quiet(store, limits: .init(bin: BinRetention(days: 0)))
        try service.make("l", ["a"])
        #expect(try service.ask(Self.delete).value().version == 2)
        #expect(try service.ask(Self.restore).failure() == "listNotInBin")
        #expect(try store.snapshots(of: "l") == [])
        try service.make("l", ["a"])
        #expect(try service.ask(Self.purge).value().version == 4)
        try service.stopIdle()
    }

    @Test func listsThatHaveExpiredAreRemoved() throws {
        let day: Int64 = 86_400_000
        let bin = BinRetention(days: 30)
        let deleted = BinEntry(id: "l", title: "", count: 0, version: 2, deletedAt: day)
        #expect(bin.expiry(of: deleted) == 31 * day)
        #expect(bin.holds(deleted, at: 31 * day - 1) && !bin.holds(deleted, at: 31 * day))
        #expect(bin.oldest(at: 31 * day) == day)
        #expect(BinRetention(days: 0).oldest(at: 31 * day) == .max)
        #expect(!BinRetention(days: 0).holds(deleted, at: day))
    }

    // MARK: Several servers

    @Test func serversShareTheBin() throws {
        let hub = SharedMemory()
        let services = [ListService.quiet(SharedFront(hub)), ListService.quiet(SharedFront(hub))]
        try services[0].make("l", ["a", "b"])
        for round in 0..<10 {
            let (one, other) = (services[round % 2], services[1 - round % 2])
            #expect(try one.ask(Self.delete).value().version == 2 * round + 2)
            #expect(try other.read("l").failure() == "listNotFound")
            #expect(try bin(other).map(\.version) == [2 * round + 2])
            #expect(try other.ask(Self.restore).value().version == 2 * round + 3)
            #expect(try one.ask(Self.restore).failure() == "listNotDeleted")
            #expect(try one.order("l") == ["a", "b"])
        }
        _ = try services[0].ask(Self.delete).value()
        #expect(try services[1].ask(Self.purge).value().version == 23)
        #expect(try services[0].ask(Self.restore).failure() == "listNotInBin")
        #expect(try services[0].ask(Self.purge).failure() == "listNotFound")
        for service in services { try service.stopIdle() }
    }
}
