import ReorderEngine
import ReorderStore
import Testing
import Waiting

@testable import ReorderService

/// Commits of other lists do not wait for a large commit. Commits of the large commit's lists keep
/// their order.
@Suite struct LargeCommitTests {
    private let gated: GatedService
    private var store: GatedStore { gated.store }
    private var service: ListService { gated.service }
    private static let five = ["a", "b", "c", "d", "e"]

    init() throws {
        var limits = ListService.Limits()
        limits.largeCommit = LargeCommit(tasks: 3, bytes: 32 << 10)
        gated = GatedService(limits)
        try service.make("small", ["x"])
        try service.make("target", ["t"])
    }

    /// Begins a large commit, which waits for `pass` or `fail`; later appends do not wait.
    private func beginLarge(_ request: WriteRequest) throws -> Pending<WriteResult> {
        store.hold()
        let large = service.ask(request)
        _ = try store.nextBatch()
        store.open()
        return large
    }

    @Test func otherListsAreCommittedWhileALargeCommitRuns() throws {
        let large = try beginLarge(.make("big", Self.five))
        #expect(try service.ask(.create("y", in: "small")).value().version == 2)
        try service.make("other", ["z"])
        #expect(!large.isAnswered)
        store.pass()
        #expect(try large.value().version == 1)
        #expect(try service.order("big") == Self.five)
    }

    @Test func deletingALargeListIsLarge() throws {
        try service.make("big", Self.five)
        let large = try beginLarge(WriteRequest(list: "big", action: .deleteList()))
        #expect(try service.ask(.create("y", in: "small")).value().version == 2)
        #expect(!large.isAnswered)
        store.pass()
        _ = try large.value()
    }

    @Test func aListsVersionsWaitForItsLargeOne() throws {
        let large = try beginLarge(.make("big", Self.five))
        let next = service.ask(.create("f", in: "big"))
        // This commit is joined to an entry of the large list, so it waits too. So do the commits
        // after it.
        let moved = service.ask(.transfer("t", from: "target", to: "big"))
        let behind = service.ask(.create("g", in: "target"))
        #expect(try service.ask(.create("y", in: "small")).value().version == 2)
        for pending in [large, next, moved, behind] { #expect(!pending.isAnswered) }
        store.pass()
        #expect(try next.value().version == 2)
        #expect(try moved.value().version == 2)
        #expect(try behind.value().version == 3)
        #expect(try service.order("big") == Self.five + ["f", "t"])
    }

    @Test func aLargeCommitWaitsForSmallOnesOfItsList() throws {
        try service.make("big", ["a"])
        store.hold()
        let first = service.ask(.create("b", in: "big"))
        #expect(try store.nextBatch().map(\.version) == [2])
        let large = service.ask(
            WriteRequest(
                list: "big", action: .put(try .flat(["h", "i", "j", "k"])), precondition: .exists))
        try waitUntil { service.committer.queue.withLock { !$0.work.entries.isEmpty } }
        #expect(!large.isAnswered)
        store.pass()
        #expect(try store.nextBatch().map(\.version) == [3])
        #expect(try first.value().version == 2)
        store.pass()
        #expect(try large.value().version == 3)
    }

    @Test func anAppendHasOneMediumCommitAtMost() throws {
        let store = GatedStore()
        let service = ListService.quiet(store)
        try service.make("small", ["x"])
        store.hold()
        let first = service.ask(.create("y", in: "small"))
        #expect(try store.nextBatch().map(\.list) == ["small"])
        let pending = try ["m1", "m2", "s1", "m3", "s2"].map { list in
            let count = list.hasPrefix("m") ? 101 : 100
            let asked = try service.ask(.make(list, (0..<count).map { "\(list)-\($0)" }))
            try waitUntil {
                service.committer.queue.withLock { $0.work.entries.last?.commit.list == list }
            }
            return asked
        }
        for batch in [["m1", "s1", "s2"], ["m2"], ["m3"]] {
            store.pass()
            #expect(try store.nextBatch().map(\.list) == batch)
        }
        store.open()
        store.pass()
        for asked in pending + [first] { _ = try asked.value() }
        try service.stop()
    }

    /// A snapshot can make the commit of a small change large.
    @Test func aSnapshotIsPostponedWhileALargeCommitRuns() throws {
        try service.make("wide", (0...ListService.Limits().tasksOnLoop).map { "t\($0)" })
        let list = try #require(service.cache.present("wide"))
        list.withLock { $0.current.bytesSinceSnapshot = $0.current.snapshotBytes + 1 }
        let large = try beginLarge(.make("big", Self.five))
        #expect(try service.ask(.create("y", in: "wide")).value().version == 2)
        #expect(!large.isAnswered)
        #expect(list.withLock { $0.current.bytesSinceSnapshot > $0.current.snapshotBytes })
        store.pass()
        _ = try large.value()
        try waitUntil { !service.committer.isLargeLaneBusy }
        #expect(try service.ask(.create("z", in: "wide")).value().version == 3)
        #expect(list.withLock { $0.current.bytesSinceSnapshot == 0 })
    }

    @Test func aFailedLargeCommitFailsAllThatIsBuiltOnIt() throws {
        let large = try beginLarge(.make("big", Self.five))
        let next = service.ask(.create("f", in: "big"))
        let moved = service.ask(.transfer("t", from: "target", to: "big"))
        let behind = service.ask(.create("g", in: "target"))
        let other = service.ask(.create("y", in: "small"))
        #expect(try other.value().version == 2)
        store.fail()
        for pending in [large, next, moved, behind] {
            #expect(try pending.failure() == "unavailable")
        }
        #expect(try service.read("big").failure() == "listNotFound")
        #expect(try service.order("target") == ["t"])
        #expect(try service.ask(.make("big", Self.five)).value().version == 1)
    }

    @Test func stoppingWaitsForALargeCommit() throws {
        let large = try beginLarge(.make("big", Self.five))
        let next = service.ask(.create("f", in: "big"))
        store.pass()
        try gated.stop().wait()
        #expect(try large.value().version == 1)
        #expect(try next.value().version == 2)
    }
}
