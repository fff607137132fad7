import ReorderEngine
import ReorderStore
import StoreTesting
import Synchronization
import Testing

@testable import ReorderService

/// A store that names another list for the task `a` at first, as if it had just moved.
private final class RestlessStore: ForwardingStore {
    let memory = MemoryListStore()
    private let wrongAnswers: Atomic<Int>

    init(wrongAnswers: Int) { self.wrongAnswers = Atomic(wrongAnswers) }

    func destination() throws(StoreError) -> any ListStore { memory }

    func lists(containing tasks: [String]) throws(StoreError) -> [String: String] {
        var lists = try memory.lists(containing: tasks)
        if lists["a"] != nil, wrongAnswers.subtract(1, ordering: .relaxed).oldValue > 0 {
            lists["a"] = "m"
        }
        return lists
    }
}

/// Ids of lists and tasks while versions wait for their commit.
@Suite struct IdTests {
    private let gated = GatedService()
    private var store: GatedStore { gated.store }
    private var service: ListService { gated.service }

    @Test(arguments: [(0, true), (1, true), (9, true), (10, false)])
    func aTaskThatMovesMeanwhileIsLookedForTenTimes(wrongAnswers: Int, isFound: Bool) throws {
        let service = ListService.quiet(RestlessStore(wrongAnswers: wrongAnswers))
        try service.make("l", ["a", "b"])
        try service.make("m", ["c"])
        let found = service.pending { $0.lists(containing: ["a", "b", "c"], with: nil, $1) }
        if isFound {
            let lists = try found.value().lists.mapValues(\.id)
            #expect(lists == ["a": "l", "b": "l", "c": "m"])
        } else {
            #expect(try found.failure() == "unavailable")
        }
        try service.stopIdle()
    }

    @Test(arguments: [false, true])
    func oneOfTwoListsGetsATaskIdThatBothInsert(firstFails: Bool) throws {
        try service.make("l")
        try service.make("m")
        store.hold()
        let first = service.ask(.create("t", in: "l"))
        #expect(try store.nextBatch().map(\.list) == ["l"])
        let second = service.ask(.create("t", in: "m"))
        let other = WriteRequest(list: "n", action: .create(try .flat(["s", "t"])))
        if firstFails {
            #expect(!second.isAnswered)
            store.fail()
            #expect(try first.failure() == "unavailable")
            #expect(try store.nextBatch().map(\.list) == ["m"])
            let third = service.ask(other)
            #expect(try service.read("n").failure() == "listNotFound")
            #expect(!third.isAnswered)
            store.pass()
            #expect(try second.value().version == 2)
            #expect(try third.failure() == "taskTaken")
            #expect(try service.list(containing: "t") == "m")
        } else {
            let third = service.ask(other)
            #expect(try service.read("n").failure() == "listNotFound")
            #expect(!second.isAnswered)
            #expect(!third.isAnswered)
            store.pass()
            #expect(try first.value().version == 2)
            #expect(try second.failure() == "taskTaken")
            #expect(try third.failure() == "taskTaken")
            #expect(try service.list(containing: "t") == "l")
        }
        // The refused request's other ids are free.
        store.open()
        try service.make("o", ["s"])
        #expect(try service.read("n").failure() == "listNotFound")
    }

    /// The deletion and the new task are one append, so there are never two tasks with the id.
    @Test(arguments: [false, true])
    func aTaskIdIsFreeAfterItsDeletion(fails: Bool) throws {
        try service.make("l")
        try service.make("m")
        store.hold()
        let made = service.ask(.create("t", in: "l"))
        _ = try store.nextBatch()
        let early = service.ask(.create("t", in: "m"))
        let deleted = service.ask(WriteRequest(list: "l", action: .command(.delete("t"))))
        let other = service.ask(.create("t", in: "m"))
        store.pass()
        #expect(try made.value().version == 2)
        let batch = try store.nextBatch()
        #expect(batch.map(\.list) == ["l", "m"])
        #expect(batch.map(\.version) == [3, 2])
        #expect(!other.isAnswered)
        if fails {
            store.fail()
            for pending in [deleted, other] { #expect(try pending.failure() == "unavailable") }
        } else {
            store.pass()
            #expect(try deleted.value().version == 3)
            #expect(try other.value().version == 2)
        }
        #expect(try early.failure() == "taskTaken")
        #expect(try service.list(containing: "t") == (fails ? "l" : "m"))
    }

    @Test func aRecreatedListContinuesItsVersions() throws {
        try service.make("l", ["a"])
        store.hold()
        let deleted = service.ask(WriteRequest(list: "l", action: .deleteList()))
        _ = try store.nextBatch()
        #expect(try service.read("l").value().version == 1)
        let again = service.ask(try .make("l", ["a"]))
        store.pass()
        #expect(try store.nextBatch().map(\.version) == [3])
        #expect(try service.read("l").failure() == "listNotFound")
        store.pass()
        #expect(try deleted.value().version == 2)
        #expect(try again.value().version == 3)
        #expect(try again.value().created)

        store.open()
        #expect(
            try service.ask(WriteRequest(list: "l", action: .deleteList())).value().version == 4)
        #expect(try service.ask(try .make("l")).value().version == 5)
    }

    @Test func missingListsUseNoMemory() throws {
        for number in 0..<1000 {
            let id = "none\(number)"
            #expect(try service.read(id).failure() == "listNotFound")
            #expect(try service.ask(.create("t", in: id)).failure() == "listNotFound")
            let deletion = WriteRequest(list: id, action: .deleteList())
            #expect(try service.ask(deletion).failure() == "listNotFound")
            let replacing = WriteRequest(
                list: id, action: .put(try .flat([])), precondition: .exists)
            #expect(try service.ask(replacing).failure() == "versionMismatch")
        }
        try service.waitForLists(0)
        #expect(service.load.evictionEntries < 100)
        try service.make("l", ["a"])
        #expect(try service.ask(try .make("m", ["a"])).failure() == "taskTaken")
        try service.waitForLists(1)
        _ = try service.ask(WriteRequest(list: "l", action: .deleteList())).value()
        try service.waitForLists(0)
    }

    @Test func aListAboveALoweredTaskLimitCanBeChanged() throws {
        try service.make("l", ["a", "b", "c"])
        let lowered = ListService.quiet(store, limits: .init(tasksPerList: 2))
        #expect(try lowered.ask(.create("d", in: "l")).failure() == "listFull")
        #expect(try lowered.ask(.move("a", to: 2, in: "l")).value().changed)
        let deletion = WriteRequest(list: "l", action: .command(.delete("a")))
        #expect(try lowered.ask(deletion).value().changed)
        try lowered.stopIdle()
    }
}
