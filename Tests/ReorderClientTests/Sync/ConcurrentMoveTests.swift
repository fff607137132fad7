import ReorderEngine
import Testing

@testable import ReorderClient

/// The examples in `docs/sync.md`, with the same names.
@Suite struct ConcurrentMoveTests {
    @Test func bothMoveTheSameRow() throws {
        let pair = try DevicePair("a b c")
        try pair.benIsAway()
        try pair.anna(.move(MoveRequest(.task("a"), to: Destination(after: "c"))))
        try pair.ben(.move(MoveRequest(.task("a"), to: Destination(after: "b"))))
        #expect(pair.shown == ["b c a", "b a c"])
        try pair.benIsBack()
        #expect(pair.shown == ["b a c", "b a c"])
        try pair.end()
    }

    @Test func oneMovesBesideARowThatTheOtherDeletes() throws {
        let pair = try DevicePair("a b c d")
        try pair.benIsAway()
        try pair.anna(.delete("b"))
        // Dropped between b and c: b is deleted, c is left.
        try pair.ben(.move(MoveRequest(.row(3), to: Destination(row: 2))))
        #expect(pair.shown == ["a c d", "a b d c"])
        try pair.benIsBack()
        #expect(pair.shown == ["a d c", "a d c"])
        try pair.end()
    }

    @Test func oneMovesAParentWhileTheOtherMovesItsChildOut() throws {
        let pair = try DevicePair("p p/p1 p/p2 q")
        try pair.benIsAway()
        try pair.anna(.move(MoveRequest(.task("p"), to: Destination(after: "q"))))
        try pair.ben(
            .move(MoveRequest(.task("p1"), to: .init(place: .init(.topLevel, position: 0)))))
        #expect(pair.shown == ["q p p/p1 p/p2", "p1 p p/p2 q"])
        try pair.benIsBack()
        // The child stays outside, before its parent's new place; the other child moved with the
        // parent.
        #expect(pair.shown == ["q p1 p p/p2", "q p1 p p/p2"])
        try pair.end()
    }

    @Test func eachMovesARowIntoTheOthers() throws {
        let pair = try DevicePair("a b")
        try pair.benIsAway()
        try pair.anna(.move(MoveRequest(.task("a"), to: .init(place: .init(.subtasks(of: "b"))))))
        try pair.ben(.move(MoveRequest(.task("b"), to: .init(place: .init(.subtasks(of: "a"))))))
        #expect(pair.shown == ["b b/a", "a a/b"])
        try pair.benIsBack()
        // The second move would create a cycle: it is refused, and Ben's row returns.
        #expect(pair.shown == ["b b/a", "b b/a"])
        let refused = pair.world.clients[1].refused
        #expect(refused.map(\.tasks) == [["b"]])
        #expect(refused.first?.placements["b"]?.row == 0)
        try pair.end()
    }

    @Test func offlineForADay() throws {
        let pair = try DevicePair("a b c d")
        try pair.benIsAway()
        try pair.ben(.create(TaskContent(id: "x", title: "x"), at: Destination(after: "b")))
        try pair.ben(.move(MoveRequest(.row(0), to: Destination(row: 3))))
        try pair.ben(.delete("d"))
        #expect(pair.shown[1] == "b x c a")
        // Meanwhile there are more changes than the server retains.
        for number in 0..<40 {
            try pair.anna(.update("c", TaskChanges(title: "c\(number)")))
            try pair.pass(seconds: 2_160)
        }
        try pair.anna(.delete("b"))
        try pair.anna(.create(TaskContent(id: "y", title: "y"), at: Destination(after: "a")))
        try pair.world.server.forget()
        try pair.benIsBack()
        // x is beside c, because b is deleted; y, created meanwhile, keeps its place.
        #expect(pair.shown == ["y x c a", "y x c a"])
        #expect(pair.world.clients[1].displayed?.task("c")?.content.title == "c39")
        #expect(pair.world.clients[1].refused.isEmpty)
        try pair.end()
    }
}

/// Anna and Ben share a list, and Ben's device is offline for a while.
private struct DevicePair {
    let world: SimulatedWorld

    /// - Parameter outline: the tasks in order; `p/p1` is the subtask p1 of p.
    init(_ outline: String) throws {
        let list = try ReorderableList(
            settings: ListSettings(title: ""), sections: [],
            tasks: outline.split(separator: " ").map { entry in
                let path = entry.split(separator: "/").map(String.init)
                return .init(
                    content: TaskContent(id: path[path.count - 1], title: ""),
                    parent: path.dropLast().last)
            })
        world = try SimulatedWorld(clients: ["anna", "ben"], seed: 1, list: list)
        try pass(seconds: 5)
    }

    func pass(seconds: Double) throws { try world.run(until: world.now + seconds) }

    func benIsAway() throws {
        world.clients[1].offlineUntil = .infinity
        try pass(seconds: 20)
    }

    func benIsBack() throws {
        try pass(seconds: 5)
        world.clients[1].offlineUntil = 0
        world.update(1) { $0.machine.retryNow(at: world.now) }
        try pass(seconds: 60)
        #expect(world.clients.allSatisfy { $0.pendingCount == 0 && $0.showsItsRows })
    }

    func anna(_ intent: Intent) throws {
        try world.update(0) { try $0.perform(intent, at: world.now) }
    }

    func ben(_ intent: Intent) throws {
        try world.update(1) { try $0.perform(intent, at: world.now) }
    }

    /// The rows that each device displays.
    var shown: [String] {
        world.clients.map { client in
            let tasks = client.displayed.map { Array($0.tasks) } ?? []
            return tasks.map { task in
                (task.placement.parent.map { "\($0)/" } ?? "") + task.id
            }.joined(separator: " ")
        }
    }

    func end() throws { try world.server.stop() }
}
