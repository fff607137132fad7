import ReorderEngine
import ReorderJSON
import ReorderStore
import StoreTesting
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
        var limits = ServiceLimits()
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

    @Test func whatALargeCommitLeavesIsCompletedAfterIt() throws {
        let large = try beginLarge(.make("big", Self.five))
        let count = store.tidyCount.load(ordering: .sequentiallyConsistent)
        store.pass()
        _ = try large.value()
        try waitUntil { store.tidyCount.load(ordering: .sequentiallyConsistent) > count }
    }

    @Test func deletingALargeListIsLarge() throws {
        try service.make("big", Self.five)
        let large = try beginLarge(WriteRequest(list: "big", action: .deleteList()))
        #expect(try service.ask(.create("y", in: "small")).value().version == 2)
        #expect(!large.isAnswered)
        store.pass()
        _ = try large.value()
    }

    /// Each of them is small.
    @Test func stepsThatAreLargeTogetherAreALargeCommit() throws {
        try service.make("big", Self.five)
        let deletions = Self.five.dropLast().map { Command.delete($0) }
        let steps = Batch(deletions, .steps([0..<2, 2..<4]))
        let large = try beginLarge(WriteRequest(list: "big", action: .batch(steps)))
        #expect(try service.ask(.create("y", in: "small")).value().version == 2)
        #expect(!large.isAnswered)
        store.pass()
        #expect(try large.value().version == 3)
        #expect(try service.order("big") == ["e"])
    }

    @Test func aListsVersionsWaitForItsLargeOne() throws {
        let large = try beginLarge(.make("big", Self.five))
        let next = service.ask(.create("f", in: "big"))
        // This write needs the large list too. The one after it does not.
        let moved = service.ask(.transfer("t", from: "target", to: "big"))
        let behind = service.ask(.create("g", in: "target"))
        #expect(try service.ask(.create("y", in: "small")).value().version == 2)
        #expect(try behind.value().version == 2)
        for pending in [large, next, moved] { #expect(!pending.isAnswered) }
        store.pass()
        #expect(try next.value().version == 2)
        #expect(try moved.value().version == 3)
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
        #expect(!large.isAnswered)
        store.pass()
        #expect(try store.nextBatch().map(\.version) == [3])
        #expect(try first.value().version == 2)
        store.pass()
        #expect(try large.value().version == 3)
    }

    /// A large write is not part of a batch, also if the batch changes its list.
    @Test func aLargeWriteWaitsForTheBatchThatChangesItsList() throws {
        try service.make("other")
        var asked: [Pending<WriteResult>] = []
        let append = try store.oneAppend(during: "other", service) {
            asked.append(service.ask(.create("y", in: "small")))
            asked.append(
                service.ask(
                    WriteRequest(
                        list: "small", action: .put(try .flat(Self.five)), precondition: .exists)))
            asked.append(
                service.ask(WriteRequest(list: "small", action: .deleteList())))
        }
        #expect(append.commits.map(\.version) == [2])
        store.open()
        store.pass()
        for (index, pending) in asked.enumerated() {
            #expect(try pending.value().version == index + 2)
        }
    }

    @Test func anAppendHasABoundedNumberOfTasks() throws {
        let store = GatedStore()
        let service = ListService.quiet(store)
        let lists = (1...5).map { "l\($0)" }
        for list in ["small"] + lists { try service.make(list) }
        store.hold()
        let first = service.ask(.create("y", in: "small"))
        #expect(try store.nextBatch().map(\.list) == ["small"])
        let pending = try lists.map { list in
            service.ask(
                WriteRequest(
                    list: list, action: .put(try .flat((0..<600).map { "\(list)-\($0)" })),
                    precondition: .exists))
        }
        for batch in [["l1", "l2"], ["l3", "l4"], ["l5"]] {
            store.pass()
            #expect(try store.nextBatch().map(\.list) == batch)
        }
        store.open()
        store.pass()
        for asked in pending + [first] { _ = try asked.value() }
        try service.stopIdle()
    }

    /// A snapshot can make the commit of a small change large.
    @Test func aSnapshotIsPostponedWhileALargeCommitRuns() throws {
        try service.make("wide", (0...ServiceLimits().tasksOnLoop).map { "t\($0)" })
        let published = service.durable.published
        var list = try #require(published.find("wide")).list
        list.bytesSinceSnapshot = list.snapshotBytes + 1
        published.publish([Snapshot(list)])
        let large = try beginLarge(.make("big", Self.five))
        #expect(try service.ask(.create("y", in: "wide")).value().version == 2)
        #expect(!large.isAnswered)
        #expect(try #require(published.find("wide")).list.isSnapshotDue)
        store.pass()
        _ = try large.value()
        try waitUntil { !service.writer.largeAppends.isBusy }
        #expect(try service.ask(.create("z", in: "wide")).value().version == 3)
        #expect(try #require(published.find("wide")).list.bytesSinceSnapshot == 0)
    }

    /// The ids of a large commit are not reserved. If another list gets one of them first, the large
    /// write is decided again.
    @Test func anotherListCanGetAnIdBeforeALargeCommit() throws {
        let large = try beginLarge(.make("big", Self.five))
        #expect(try service.ask(.create("c", in: "small")).value().version == 2)
        store.pass()
        #expect(try large.failure() == "taskTaken")
        #expect(service.isReady)
        #expect(try service.read("big").failure() == "listNotFound")
        #expect(try service.list(containing: "c") == "small")
    }

    @Test func aBatchThatALargeCommitHasOvertakenIsDecidedAgain() throws {
        store.hold()
        let write = service.ask(.create("c", in: "small"))
        _ = try store.nextBatch()
        store.open()
        store.fail(.taskTaken(id: "c"))
        #expect(try write.value().version == 2)
        #expect(service.isReady)
        // It is not tried for ever.
        store.fails(.taskTaken(id: "d"))
        #expect(try service.ask(.create("d", in: "small")).failure() == "unavailable")
        store.fails(nil)
    }

    @Test func nothingIsBuiltOnALargeCommitThatFails() throws {
        let large = try beginLarge(.make("big", Self.five))
        let next = service.ask(.create("f", in: "big"))
        let moved = service.ask(.transfer("t", from: "target", to: "big"))
        let behind = service.ask(.create("g", in: "target"))
        let other = service.ask(.create("y", in: "small"))
        #expect(try other.value().version == 2)
        #expect(try behind.value().version == 2)
        store.fail()
        #expect(try large.failure() == "unavailable")
        #expect(try next.failure() == "listNotFound")
        #expect(try moved.failure() == "targetListNotFound")
        #expect(try service.read("big").failure() == "listNotFound")
        #expect(try service.order("target") == ["t", "g"])
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
