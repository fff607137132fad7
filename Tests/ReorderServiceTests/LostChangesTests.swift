import ReorderStore
import StoreTesting
import Testing

@testable import ReorderService

/// A shared store that has lost changes, for example after a failover to an asynchronous standby.
@Suite struct LostChangesTests {
    private let hub = SharedMemory()
    private let front: SharedFront
    private let service: ListService

    init() {
        front = SharedFront(hub)
        service = .quiet(front)
    }

    @Test func aListIsLoadedAgainIfTheStoreLostChanges() throws {
        front.turn(to: try storeThatLostTheLastChange())
        let snapshot = try service.read("l").value()
        #expect(snapshot.version == 1)
        #expect(snapshot.list.tasks.map(\.id) == ["a", "b"])
        try service.stopIdle()
    }

    @Test func anInsertionIsDecidedAgainIfTheStoreLostChanges() throws {
        let lesser = try storeThatLostTheLastChange()
        front.appends.close()
        let create = service.ask(.create("c", in: "l"))
        try front.appends.wait()
        front.turn(to: lesser)
        #expect(try service.read("l").value().version == 1)
        front.appends.open()
        front.appends.pass()
        #expect(try create.value().version == 2)
        #expect(try service.order("l") == ["a", "b", "c"])
        try service.stopIdle()
    }

    /// Makes two versions of a list, and returns a store that has only the first one.
    private func storeThatLostTheLastChange() throws -> SharedMemory {
        try service.make("l", ["a", "b"])
        _ = try service.ask(.move("a", to: 1, in: "l")).value()
        let lesser = SharedMemory()
        try lesser.write(
            try #require(try hub.memory.changes(of: "l", after: 0, limit: 1)).map { change in
                ListCommit(
                    list: "l", version: 1, at: 0, change: change.bytes,
                    snapshot: try hub.memory.load("l")?.content?.snapshot,
                    stateAfter: .exists(title: "List", count: 2, open: 0),
                    insertedTasks: ["a", "b"])
            })
        return lesser
    }
}
