import ReorderEngine
import ReorderStore
import Testing

@testable import ReorderService

@Suite struct UndoTests {
    private static func undo(_ version: Int, of list: String = "l") -> WriteRequest {
        WriteRequest(list: list, action: .undo(version: RequestedVersion(version)))
    }

    /// A list of `a`, `b` and `p`, with this number of subtasks of `p`.
    private static func list(subtasks: Int) throws -> WriteRequest {
        let top = ["a", "b", "p"].map {
            ReorderableList.Entry(content: TaskContent(id: $0, title: $0))
        }
        let rest = (0..<subtasks).map {
            ReorderableList.Entry(content: TaskContent(id: "p\($0)", title: "p"), parent: "p")
        }
        let list = try ReorderableList(
            settings: ListSettings(title: "List"), sections: [], tasks: top + rest)
        return WriteRequest(list: "l", action: .put(list))
    }

    private static let delete = WriteRequest(list: "l", action: .command(.delete("p")))

    @Test func anUndoOfAnEarlierVersionIsNotApplied() throws {
        let service = ListService.quiet(MemoryListStore())
        _ = try service.ask(Self.list(subtasks: 1)).value()
        let old = try service.read("l").value()
        _ = try service.ask(Self.delete).value()
        let plan = try UndoPlan([.delete(task: "p")], before: old.list)
        let deleted = try service.read("l").value()
        let computed = service.compute(plan, 2, on: deleted.list, at: 2)
        _ = try service.ask(.move("a", to: 1, in: "l")).value()
        let applied = service.pending { service, context throws(ServiceError) in
            try service.decide(on: "l", context) { lists throws(Interruption) in
                _ = try service.apply(.computed(computed), of: 2, to: lists.list)
            }
        }
        #expect(try applied.failure() == "undoOvertaken")
        #expect(try service.order("l") == ["b", "a"])
        #expect(try service.ask(Self.undo(2)).value().version == 4)
        #expect(try service.order("l") == ["b", "p", "p0", "a"])
        try service.stop()
    }

    /// Each time, another server changes the list after the undo was computed and before it is
    /// applied.
    @Test(arguments: [1, 999, 1_000])
    func anUndoThatIsOvertakenIsComputedAgain(subtasks: Int) throws {
        let hub = SharedMemory()
        let (here, there) = (SharedFront(hub), SharedFront(hub))
        let (service, other) = (ListService.quiet(here), ListService.quiet(there))
        _ = try service.ask(Self.list(subtasks: subtasks)).value()
        _ = try service.ask(Self.delete).value()
        here.looks.close()
        let undone = service.ask(Self.undo(2))
        // The list is read once to compute the undo, and then each time to apply it.
        try here.looks.wait()
        here.looks.pass()
        for round in 0..<ListService.maximumOvertakenUndos {
            try here.looks.wait()
            _ = try other.ask(.move("a", to: 1 - round % 2, in: "l")).value()
            here.looks.pass()
        }
        let isSmall = subtasks + 1 <= ListService.smallUndo
        here.looks.open()
        #expect(try undone.failure() == (isSmall ? "none" : "undoOvertaken"))
        let list = try other.read("l").value()
        #expect(list.version == (isSmall ? 6 : 5))
        #expect(list.list.count == (isSmall ? subtasks + 3 : 2))
        try service.stop()
        try other.stop()
    }

    /// The undo's thread waits in the store.
    @Test func othersAreServedDuringAnUndo() throws {
        let store = GatedStore()
        store.open()
        let service = ListService.quiet(store)
        let loop = EventLoopThread(service: service)
        try service.make("l", ["a", "b"])
        try service.make("m", ["y", "z"])
        _ = try service.ask(.move("a", to: 1, in: "l")).value()
        store.holdReads(of: "l")
        let undone = loop.ask(Self.undo(2))
        try store.nextRead()
        #expect(try loop.read("l").value().version == 2)
        #expect(try loop.ask(.create("c", in: "l")).value().version == 3)
        #expect(try loop.ask(.move("y", to: 1, in: "m")).value().version == 2)
        #expect(!undone.isAnswered)
        store.passRead()
        #expect(try undone.value().version == 4)
        #expect(try service.order("l") == ["a", "b", "c"])
        try service.stop()
    }

    @Test func stoppingRefusesWaitingUndosAtOnce() throws {
        let store = GatedStore()
        let service = ListService.quiet(store)
        try service.make("l", ["a", "b"])
        _ = try service.ask(.move("a", to: 1, in: "l")).value()
        store.hold()
        let move = service.ask(.move("b", to: 1, in: "l"))
        _ = try store.nextBatch()
        // Each undo waits for the commit of the move.
        let undos = (0..<UndoLimits().ofList).map { _ in service.ask(Self.undo(2)) }
        #expect(try service.ask(Self.undo(2)).failure() == "tooManyUndos")
        service.prepareToStop(inSeconds: 3_600)
        store.open()
        store.pass()
        _ = try move.value()
        for undo in undos { #expect(try undo.failure() == "unavailable") }
        try service.stop()
    }
}
