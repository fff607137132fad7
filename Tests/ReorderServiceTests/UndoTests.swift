import ReorderEngine
import ReorderStore
import StoreTesting
import Testing
import Waiting

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

    /// Another server changes the list after the undo was planned and before it is applied. A worker
    /// applies the larger one.
    @Test(arguments: [1, 1_000])
    func anUndoKeepsChangesAfterItsPlan(subtasks: Int) throws {
        let hub = SharedMemory()
        let (here, there) = (SharedFront(hub), SharedFront(hub))
        let (service, other) = (ListService.quiet(here), ListService.quiet(there))
        _ = try service.ask(Self.list(subtasks: subtasks)).value()
        _ = try service.ask(Self.delete).value()
        here.looks.close()
        let undone = service.ask(Self.undo(2))
        // The list is read once to plan the undo, and then to apply it.
        try here.looks.wait()
        here.looks.pass()
        try here.looks.wait()
        _ = try other.ask(.move("a", to: 1, in: "l")).value()
        here.looks.open()
        here.looks.pass()
        #expect(try undone.value().version == 4)
        let list = try other.read("l").value()
        #expect(try service.order("l").prefix(3) == ["b", "p", "p0"])
        #expect(list.list.count == subtasks + 3)
        try service.stopIdle()
        try other.stopIdle()
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
        try service.stopIdle()
    }

    @Test func stoppingRefusesWaitingUndosBeforeTheRunningOneEnds() throws {
        let store = GatedStore()
        let service = ListService.quiet(store)
        try service.make("l", ["a", "b"])
        _ = try service.ask(.move("a", to: 1, in: "l")).value()
        store.holdReads(of: "l")
        let running = service.ask(Self.undo(2))
        try store.nextRead()
        // A list's undos are planned one after another.
        let undos = (1..<UndoLimits().ofList).map { _ in service.ask(Self.undo(2)) }
        #expect(try service.ask(Self.undo(2)).failure() == "tooManyUndos")
        service.prepareToStop(inSeconds: 3_600)
        for undo in undos { #expect(try undo.failure() == "unavailable") }
        #expect(!running.isAnswered)
        store.passRead()
        #expect(try running.value().version == 3)
        try service.stopIdle()
    }

    /// The plan does not wait for the append. The undo is decided after it.
    @Test func anUndoDuringAnAppendKeepsItsChange() throws {
        let store = GatedStore()
        let service = ListService.quiet(store)
        try service.make("l", ["a", "b", "c"])
        _ = try service.ask(.move("a", to: 1, in: "l")).value()
        store.hold()
        let move = service.ask(.move("c", to: 0, in: "l"))
        _ = try store.nextBatch()
        let undone = service.ask(Self.undo(2))
        try waitUntil { service.load.pending["waiting writes"] == 1 }
        #expect(!undone.isAnswered)
        store.open()
        store.pass()
        #expect(try move.value().version == 3)
        #expect(try undone.value().version == 4)
        #expect(try service.order("l") == ["c", "a", "b"])
        try service.stopIdle()
    }
}
