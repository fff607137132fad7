import ReorderEngine
import Testing

/// Moves of tasks to another list.
@Suite struct TransferRuleTests {
    @Test func theSubtreeMovesWithAllItsContent() throws {
        var list = try ReorderableList("a b+(c!(d) e) f")
        _ = try list.update("d", TaskUpdate(title: "Das ĳ", done: true, data: .set("{}")))
        let content = try #require(list.task("d")?.content)
        var other = try ReorderableList("x")
        let outcome = try list.transfer(
            MoveRequest(.task("b"), to: .before("x")), to: &other)
        #expect(list.outline == "a f")
        #expect(other.outline == "b+(c!(d) e) x")
        #expect(other.task("d")?.content == content)
        #expect(outcome.departure == [.delete(task: "b")])
        #expect(outcome.moved == ["b", "c", "d", "e"])
        #expect(outcome.arrival == outcome.moved.compactMap { other.task($0) }.map { .insert($0) })
    }

    @Test func nothingIsMovedBelowTheSixteenthLevel() throws {
        let list = try ReorderableList("a(b) c")
        let chain = Outline.chain("x", levels: 15)
        let other = try ReorderableList(chain)
        let deepest = Destination.place(.subtasks(of: "x14"))
        for subject in [MoveRequest.Subject.task("a"), .tasks(["c", "a"]), .row(0)] {
            #expect(list.refusal(transferring: subject, to: other, deepest) == .depthLimit)
            #expect(list.refusal(transferring: subject, to: other, .after("x14")) == nil)
        }
        let full = chain.replacing("x14", with: "x14(b)")
        #expect(try list.transferring("b", to: other, deepest) == "a c | \(full)")
    }

    @Test func theFirstViolatedRuleIsReported() throws {
        let list = try ReorderableList("a! b(c)")
        let chain = Outline.chain("x", levels: 16)
        let strict = try ReorderableList("a y \(chain)", elementsOffset: 1, moves: .siblings)
        let deep = try ReorderableList("a y \(chain)", elementsOffset: 1)
        let gone = Destination.after("gone")
        #expect(list.refusal(transferring: .task("g"), to: strict, gone) == .taskNotFound("g"))
        #expect(list.refusal(transferring: .task("a"), to: strict, gone) == .anchorGone)
        #expect(list.refusal(transferring: .task("a"), to: strict, .after("x15")) == .locked)
        #expect(list.refusal(transferring: .task("b"), to: strict, .after("x15")) == .notSiblings)
        #expect(list.refusal(transferring: .task("b"), to: deep, .after("x15")) == .depthLimit)
        let free = try ReorderableList("a b", elementsOffset: 0)
        #expect(free.refusal(transferring: .task("a"), to: deep, .before("a")) == .locked)
        #expect(free.refusal(transferring: .task("a"), to: deep, .after("y")) == .idTaken("a"))
    }

    @Test func aSubtreeOfAHundredThousandTasksIsTransferred() throws {
        let count = 100_000
        var tasks = [ReorderableList.Entry(content: TaskContent(id: "top", title: ""))]
        for number in 1..<count {
            let parent = number % 10 == 1 ? "top" : "t\(number - 1)"
            tasks.append(
                .init(content: TaskContent(id: "t\(number)", title: ""), parent: parent))
        }
        var list = try ReorderableList(
            settings: ListSettings(title: ""), sections: [], tasks: tasks)
        var other = try ReorderableList("x y")
        let outcome = try list.transfer(
            MoveRequest(.task("top"), to: .after("x")), to: &other)
        #expect(outcome.departure.count == 1)
        #expect(outcome.arrival.count == count)
        #expect(list.count == 0)
        #expect(other.count == count + 2)
        #expect(other.placement(of: "y")?.row == count + 1)
        #expect(Array(other.subtree(of: "top").map(\.id)) == tasks.map(\.content.id))
    }
}
