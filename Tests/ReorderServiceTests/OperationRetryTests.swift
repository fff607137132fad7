import ReorderEngine
import ReorderJSON
import ReorderStore
import Testing

@testable import ReorderService

/// Ops with ids are applied once, in whichever batch they arrive.
@Suite struct OperationRetryTests {
    private let gated = GatedService()
    private var store: GatedStore { gated.store }
    private var service: ListService { gated.service }

    private func create(_ task: String) -> Command {
        .create(TaskContent(id: task, title: task), at: Destination())
    }

    private func move(_ task: String, _ position: Int) -> Command {
        .move(MoveRequest(.task(task), to: Destination(place: .init(.own, position: position))))
    }

    @Test(arguments: [true, false])
    func anOpIsAppliedOnceInWhicheverBatch(isAtomic: Bool) throws {
        try service.make("l", ["a", "b", "c"])
        store.hold()
        let first = service.ask(
            ops: [("1", create("d")), (nil, move("a", 3)), ("2", move("b", 2))], in: "l",
            isAtomic: isAtomic)
        let append = try store.nextAppend()
        #expect(append.commits.map(\.version) == [2])
        #expect(append.responses.map(\.key.key) == ["1", "2"])
        store.open()
        store.pass()
        #expect(try first.value().words == ["done", "done", "done"])
        let order = try service.order("l")
        let again = try service.ask(
            ops: [("2", move("b", 2)), ("1", create("d"))], in: "l", isAtomic: isAtomic
        ).value()
        #expect(again.words == ["done again", "done again"])
        #expect(!again.changed)
        #expect(again.version == 2)
        #expect(try service.order("l") == order)
        let mixed = try service.ask(
            ops: [("1", create("d")), ("3", create("e"))], in: "l", isAtomic: isAtomic
        ).value()
        #expect(mixed.words == ["done again", "done"])
        #expect(mixed.version == 3)
    }

    /// A large batch is stored by itself. So it must not repeat a result that may still get lost.
    ///
    /// - Parameter count: the number of tasks that it creates; a worker decides the larger batch.
    @Test(arguments: [4, 101])
    func aLargeBatchRepeatsOnlyStoredResults(count: Int) throws {
        var limits = ServiceLimits()
        limits.largeCommit = LargeCommit(tasks: 3)
        let gated = GatedService(limits)
        let (store, service) = (gated.store, gated.service)
        try service.make("l", ["a"])
        try service.make("other")
        store.hold()
        let other = service.ask(.create("b", in: "other"))
        _ = try store.nextAppend()
        // It changes nothing, so that only its result is to be stored.
        let small = service.ask(ops: [("1", move("a", 0))], in: "l")
        let large = service.ask(
            ops: [("1", move("a", 0))] + (0..<count).map { (nil, create("t\($0)")) }, in: "l")
        store.fails(.unavailable(reason: "a full disk")) { $0.isEmpty }
        store.open()
        store.pass()
        _ = try other.value()
        #expect(try small.failure() == "unavailable")
        #expect(try large.value().words.first == "done")
        let key = StoredResponseKey(.operation, of: "l", "1")
        #expect(try store.responses(to: [key]).count == 1)
    }

    @Test func aFailedAtomicBatchStoresNothing() throws {
        try service.make("l", ["a"])
        let failed = service.ask(ops: [("1", create("b")), ("2", create("a"))], in: "l")
        #expect(try failed.failure() == #"command 1 refused idTaken("a")"#)
        let keys = ["1", "2"].map { StoredResponseKey(.operation, of: "l", $0) }
        #expect(try store.responses(to: keys).isEmpty)
        #expect(try service.ask(ops: [("1", create("b"))], in: "l").value().words == ["done"])
    }

    @Test func aRefusalIsStoredWithoutAChange() throws {
        try service.make("l", ["a"])
        store.hold()
        let refused = service.ask(ops: [("1", create("a"))], in: "l", isAtomic: false)
        let append = try store.nextAppend()
        #expect(append.commits.isEmpty)
        #expect(append.responses.count == 1)
        #expect(!refused.isAnswered)
        store.open()
        store.pass()
        let word = #"command 0 refused idTaken("a")"#
        #expect(try refused.value().words == [word])
        let deletion = WriteRequest(list: "l", action: .command(.delete("a")))
        _ = try service.ask(deletion).value()
        let again = service.ask(ops: [("1", create("a"))], in: "l", isAtomic: false)
        #expect(try again.value().words == [word + " again"])
        let atomic = service.ask(ops: [("2", create("x")), ("1", create("a"))], in: "l")
        #expect(try atomic.failure() == "command 1 refusedBefore")
        #expect(try service.order("l").isEmpty)
    }

    @Test(arguments: [true, false])
    func aBatchWaitsForAnotherBatchWithTheSameOp(firstFails: Bool) throws {
        try service.make("l", ["a", "b"])
        store.hold()
        let first = service.ask(ops: [("1", move("a", 1)), ("2", create("c"))], in: "l")
        _ = try store.nextAppend()
        let second = service.ask(ops: [("1", move("a", 1)), ("3", create("d"))], in: "l")
        let third = service.ask(ops: [("4", create("e"))], in: "l")
        #expect(!second.isAnswered)
        store.open()
        if firstFails {
            store.fail()
            #expect(try first.failure() == "unavailable")
            #expect(try second.value().words == ["done", "done"])
        } else {
            store.pass()
            #expect(try first.value().words == ["done", "done"])
            #expect(try second.value().words == ["done again", "done"])
        }
        #expect(try third.value().words == ["done"])
        #expect(try service.order("l").prefix(2) == ["b", "a"])
    }

    /// The second batch repeats an op whose refusal is stored by the same append.
    @Test(arguments: [true, false])
    func anOpIsRepeatedWithinAnAppend(fails: Bool) throws {
        try service.make("l", ["a"])
        try service.make("other")
        var asked: [Pending<WriteResult>] = []
        let append = try store.oneAppend(during: "other", service) {
            for _ in 0..<2 {
                asked.append(
                    service.ask(ops: [("1", create("a"))], in: "l", isAtomic: false))
            }
        }
        #expect(append.commits.isEmpty)
        #expect(append.responses.map(\.key.key) == ["1"])
        #expect(asked.allSatisfy { !$0.isAnswered })
        if fails {
            store.fail()
            for pending in asked { #expect(try pending.failure() == "unavailable") }
        } else {
            store.pass()
            let word = #"command 0 refused idTaken("a")"#
            #expect(try asked.map { try $0.value().words } == [[word], [word + " again"]])
        }
    }

    @Test func anOpsResultIsStoredForThirtyDays() throws {
        try service.make("l", ["a", "b"])
        let ops = [("1", move("a", 1))]
        #expect(try service.ask(ops: ops, in: "l").value().words == ["done"])
        gated.clock.advance(seconds: 30 * 24 * 60 * 60 - 0.001)
        #expect(try service.ask(ops: ops, in: "l").value().words == ["done again"])
        gated.clock.advance(seconds: 0.001)
        #expect(try service.ask(ops: ops, in: "l").value().words == ["done"])
    }

    @Test func theTasksOfRepeatedOpsCountTowardsTheLimit() throws {
        try service.make("l", (0..<101).map { "t\($0)" })
        let all = Command.move(
            MoveRequest(
                .tasks((0..<101).map { "t\($0)" }),
                to: Destination(place: .init(.section(nil), position: 0))))
        let block = (String?("1"), all)
        #expect(try service.ask(ops: [block], in: "l").value().words == ["done"])
        let many = service.ask(ops: Array(repeating: block, count: 99), in: "l")
        #expect(try many.value().words.count == 99)
        let tooMany = service.ask(ops: Array(repeating: block, count: 100), in: "l")
        #expect(try tooMany.failure() == "command 99 responseTooLarge")
    }
}
