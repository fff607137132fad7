import ReorderEngine
import ReorderJSON
import ReorderStore
import StoreTesting
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// Moves of tasks into another list while versions wait for their commit.
@Suite struct TransferTests {
    private let gated = GatedService()
    private var store: GatedStore { gated.store }
    private var service: ListService { gated.service }

    init() throws {
        try service.make("l", ["a", "b"])
        try service.make("m", ["x", "y"])
    }

    private func changes(of list: String) throws -> [Int] {
        try #require(try store.changes(of: list, after: 0, limit: 100)).map(\.version)
    }

    @Test func aTransferIsOneCommitOfBothLists() throws {
        store.hold()
        var request = WriteRequest.transfer("a", from: "l", to: "m")
        request.client = "phone"
        let pending = service.ask(request)
        let batch = try store.nextBatch()
        for commit in batch {
            #expect(try ChangeDocument(json: commit.change).client == "phone")
        }
        #expect(batch.map(\.list) == ["l", "m"])
        #expect(batch.map(\.version) == [2, 2])
        #expect(batch.map(\.deletedTasks) == [["a"], []])
        #expect(batch.map(\.insertedTasks) == [[], ["a"]])
        #expect(!pending.isAnswered)
        #expect(try ["l", "m"].map { try service.order($0) } == [["a", "b"], ["x", "y"]])
        store.pass()
        let answer = try pending.value()
        #expect(answer.list == "l")
        #expect(answer.version == 2)
        guard case .transferred(let outcome, false, let target) = answer.result else {
            Issue.record("\(answer.result)")
            return
        }
        #expect(target == ListVersion(list: "m", version: 2))
        #expect(outcome.tasks.map(\.task.placement.position) == [2])
        #expect(try service.order("l") == ["b"])
        #expect(try service.order("m") == ["x", "y", "a"])
        #expect(try service.list(containing: "a") == "m")
    }

    @Test(arguments: ["l", "m"], [false, true])
    func responsesWaitForTheVersionsOfBothLists(list: String, fails: Bool) throws {
        try service.make("other")
        var asked: [Pending<WriteResult>] = []
        let append = try store.oneAppend(during: "other", service) {
            var dry = WriteRequest.transfer("a", from: "l", to: "m")
            dry.isDryRun = true
            asked = [
                service.ask(.create("c", in: list)),
                service.ask(.transfer("a", from: "l", to: "m", Destination(after: "gone"))),
                service.ask(dry),
            ]
        }
        #expect(append.commits.map(\.list) == [list])
        #expect(asked.allSatisfy { !$0.isAnswered })
        if fails {
            store.fail()
            for pending in asked { #expect(try pending.failure() == "unavailable") }
        } else {
            store.pass()
            _ = try asked[0].value()
            #expect(try asked[1].failure() == "refused anchorGone")
            #expect(try asked[2].value().changed)
        }
    }

    @Test func aFailedTransferChangesNeitherListAndCanBeRetried() throws {
        store.hold()
        let failed = service.ask(.transfer("a", from: "l", to: "m"))
        _ = try store.nextBatch()
        let next = service.ask(.create("c", in: "m"))
        let other = service.ask(try .make("n", ["a"]))
        #expect(!other.isAnswered)
        // Opened first: the next append may begin as soon as the first one has failed.
        store.open()
        store.fail()
        #expect(try failed.failure() == "unavailable")
        #expect(try next.value().version == 2)
        #expect(try other.failure() == "taskTaken")
        #expect(try service.order("l") == ["a", "b"])
        #expect(try service.order("m") == ["x", "y", "c"])
        #expect(try service.list(containing: "a") == "l")

        #expect(try service.ask(.transfer("a", from: "l", to: "m")).value().version == 2)
        #expect(try service.order("m") == ["x", "y", "c", "a"])
        #expect(try changes(of: "l") == [1, 2])
        #expect(try changes(of: "m") == [1, 2, 3])
        // Other lists can't use the id before the deletion is durable. Then this list can use it
        // again.
        #expect(try service.ask(.create("a", in: "l")).failure() == "taskTaken")
        _ = try service.ask(WriteRequest(list: "m", action: .command(.delete("a")))).value()
        _ = try service.ask(.create("a", in: "l")).value()
    }

    /// Changes that are built on one another are one append.
    @Test func aTransferIsNeverStoredOnOneSideOnly() throws {
        try service.make("n", ["p"])
        try service.make("other")
        // A move from l to m, and a move from m to n that depends on it.
        var asked: [Pending<WriteResult>] = []
        let append = try store.oneAppend(during: "other", service) {
            asked = [
                service.ask(.create("c", in: "m")),
                service.ask(.transfer("a", from: "l", to: "m")),
                service.ask(.transfer("a", from: "m", to: "n")),
                service.ask(.create("d", in: "n")),
            ]
        }
        #expect(append.commits.map(\.list) == ["m", "l", "m", "m", "n", "n"])
        #expect(
            try ["l", "m", "n"].map { try service.order($0) } == [["a", "b"], ["x", "y"], ["p"]])
        #expect(asked.allSatisfy { !$0.isAnswered })
        store.fail()
        for pending in asked { #expect(try pending.failure() == "unavailable") }

        store.open()
        #expect(
            try ["l", "m", "n"].map { try service.order($0) } == [["a", "b"], ["x", "y"], ["p"]])
        #expect(try service.list(containing: "a") == "l")
        for (source, target) in [("l", "m"), ("m", "n")] {
            _ = try service.ask(.transfer("a", from: source, to: target)).value()
        }
        #expect(try service.order("n") == ["p", "a"])
        #expect(try changes(of: "m") == [1, 2, 3])
    }

    @Test func anIdInATransferIsReserved() throws {
        store.hold()
        let moved = service.ask(.transfer("a", from: "l", to: "m"))
        _ = try store.nextBatch()
        let others = [
            service.ask(.create("a", in: "l")), service.ask(try .make("n", ["a"])),
            service.ask(
                WriteRequest(list: "l", action: .put(try .flat(["a"])), precondition: .exists)),
        ]
        #expect(others.allSatisfy { !$0.isAnswered })
        store.pass()
        _ = try moved.value()
        for other in others { #expect(try other.failure() == "taskTaken") }
    }

    @Test func aTransferredTaskMovesAgain() throws {
        try service.make("n")
        store.hold()
        let first = service.ask(.transfer("a", from: "l", to: "m"))
        _ = try store.nextBatch()
        let back = service.ask(.transfer("a", from: "m", to: "l"))
        let on = service.ask(.transfer("a", from: "m", to: "n"))
        store.pass()
        _ = try first.value()
        #expect(try store.nextBatch().map(\.list) == ["m", "l"])
        store.pass()
        #expect(try back.value().version == 3)
        #expect(try on.failure() == "refused taskNotFound(\"a\")")
        #expect(try service.list(containing: "a") == "l")
    }

    /// A read finds what is durable. A write is decided after the transfer.
    @Test func aTaskInATransferIsFoundInItsOldListAndWrittenInItsNewOne() throws {
        store.hold()
        let moved = service.ask(.transfer("a", from: "l", to: "m"))
        _ = try store.nextBatch()
        let read = service.versionedList(ofListContaining: "a")
        let write = service.ask(
            WriteRequest(list: "", containedTask: "a", action: .command(.collapse("a", true))))
        #expect(try read.value().id == "l")
        #expect(!write.isAnswered)
        store.pass()
        #expect(try moved.value().changed)
        #expect(try store.nextBatch().map(\.list) == ["m"])
        store.pass()
        #expect(try service.versionedList(ofListContaining: "a").value().id == "m")
        #expect(try write.value().list == "m")
    }

    @Test func aTaskInNoListIsNotFound() throws {
        store.hold()
        let deleted = service.ask(WriteRequest(list: "l", action: .command(.delete("a"))))
        _ = try store.nextBatch()
        #expect(try service.versionedList(ofListContaining: "a").value().id == "l")
        store.pass()
        _ = try deleted.value()
        #expect(try service.versionedList(ofListContaining: "a").failure() == "taskNotFound")
    }

    @Test func aTaskMissingFromItsIndexedListIsNotFound() throws {
        // The service itself never creates such a store. It must still not retry for ever.
        try store.memory.append([
            ListCommit(
                list: "l", version: 2, at: 0, change: Array(#"{}"#.utf8),
                snapshot: Array(#"{"id":"l","title":"","sections":[],"tasks":[]}"#.utf8),
                stateAfter: .exists(title: "", count: 0, open: 0), insertedTasks: ["ghost"])
        ])
        let other = ListService.quiet(store.memory)
        let read = other.versionedList(ofListContaining: "ghost")
        #expect(try read.failure() == "taskNotFound")
        try other.stopIdle()
    }

    @Test func aRefusalReturnsTheTaskAndReservesNothing() throws {
        for (request, failure) in [
            (WriteRequest.transfer("a", from: "none", to: "m"), "listNotFound"),
            (.transfer("a", from: "l", to: "none"), "targetListNotFound"),
            (.transfer("x", from: "l", to: "m"), "refused taskNotFound(\"x\")"),
            (.transfer("a", from: "l", to: "m", Destination(after: "b")), "refused anchorGone"),
        ] {
            #expect(try service.ask(request).failure() == failure)
        }
        var old = WriteRequest.transfer("a", from: "l", to: "none")
        old.precondition = .versions([7])
        #expect(try service.ask(old).failure() == "versionMismatch")
        let refused = service.ask(.transfer("a", from: "l", to: "m", Destination(after: "b")))
        guard case .failure(.refused(_, version: 1, tasks: .one(let task?))) = try refused.wait()
        else {
            Issue.record("\(try refused.wait())")
            return
        }
        #expect(task.placement.position == 0)
        try service.waitForLists(2)
    }

    @Test func aTransferCantExceedTheTaskLimit() throws {
        let small = ListService.quiet(store, limits: .init(tasksPerList: 3))
        let both = WriteRequest(
            list: "l",
            action: .transfer(
                MoveRequest(.tasks(["a", "b"]), to: Destination(after: "x")), to: "m"))
        #expect(try small.ask(both).failure() == "targetListFull")
        #expect(try small.ask(.transfer("a", from: "l", to: "m")).value().changed)
        #expect(try small.ask(.transfer("b", from: "l", to: "m")).failure() == "targetListFull")
        // A section counts with its tasks, also out of a list that has too many.
        let section = WriteRequest.Action.command(.createSection("s", title: "S", position: nil))
        _ = try small.ask(WriteRequest(list: "m", action: section)).value()
        for task in ["x", "y"] {
            let move = MoveRequest(.task(task), to: Destination(place: .init(.section("s"))))
            _ = try small.ask(WriteRequest(list: "m", action: .command(.move(move)))).value()
        }
        let transfer = WriteRequest.Action.transferSection("s", to: "l", position: nil)
        let smaller = ListService.quiet(store, limits: .init(tasksPerList: 2))
        #expect(
            try smaller.ask(WriteRequest(list: "m", action: transfer)).failure() == "targetListFull"
        )
        let fits = ListService.quiet(store, limits: .init(tasksPerList: 3))
        #expect(try fits.ask(WriteRequest(list: "m", action: transfer)).value().changed)
        for service in [small, smaller, fits] { try service.stopIdle() }
    }

    @Test func aDryRunReturnsTheResultAndChangesNothing() throws {
        var dry = WriteRequest.transfer("a", from: "l", to: "m")
        dry.isDryRun = true
        let answer = try service.ask(dry).value()
        // The lists' current versions, not future ones.
        #expect(answer.version == 1)
        guard case .transferred(_, _, let other) = answer.result else {
            Issue.record("\(answer.result)")
            return
        }
        #expect(other == ListVersion(list: "m", version: 1))
        #expect(try service.order("l") == ["a", "b"])
        #expect(try service.order("m") == ["x", "y"])
        #expect(try changes(of: "m") == [1])
        #expect(
            try service.ask(try .make("n", ["a"])).failure() == "taskTaken")
        #expect(try service.ask(.transfer("a", from: "l", to: "m")).value().version == 2)
    }

    /// Every pair of three lists, in both directions at once, with batches in between.
    @Test(arguments: [256 << 20, 0])
    func oppositeTransfersDontDeadlock(cacheBytes: Int) throws {
        let memory = MemoryListStore()
        let service = ListService.quiet(memory, limits: .init(cacheBytes: cacheBytes))
        let lists = ["l", "m", "n"]
        let tasks = (0..<12).map { "t\($0)" }
        try service.make("l", tasks)
        try service.make("m")
        try service.make("n")
        let moved = Atomic<Int>(0)
        try onThreads(6) { thread in
            let (source, target) = (lists[thread % 3], lists[(thread + 1 + thread / 3) % 3])
            for round in 0..<60 {
                let task = tasks[(thread + round) % tasks.count]
                var request = WriteRequest.transfer(task, from: source, to: target)
                if round % 5 == 0 {
                    request.action = .batch(Batch([.collapse(task, true)], .separate))
                }
                do {
                    let answer = try service.ask(request).wait()
                    if case .success(let answer) = answer,
                        case .transferred = answer.result
                    {
                        moved.add(1, ordering: .relaxed)
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
        #expect(moved.load(ordering: .relaxed) > 0)
        var held: [String] = []
        for list in lists {
            let ids = try service.order(list)
            held += ids
            for id in ids { #expect(try service.list(containing: id) == list) }
        }
        #expect(held.sorted() == tasks.sorted())
        try service.stopIdle()
    }
}
