import ReorderEngine
import Testing

/// What the model does not have: which operations a move makes, and the highest levels of a gap. `RandomRequestTests` compares where
/// tasks are moved, and which moves are refused, with the model.
@Suite struct MoveRuleTests {
    @Test func aMoveIsOneOperation() throws {
        var list = try ReorderableList("a(a1 a2) b(b1) #s1 c")
        let outcome = try list.move("a", .place(.section("s1"), 0))
        #expect(
            outcome.operations == [.move(task: "a", section: "s1", parent: nil, position: 0)])
        #expect(
            try list.move("c", .after("b1")).operations
                == [.move(task: "c", section: nil, parent: "b", position: 1)])
    }

    @Test func aCollapsingMoveIsOneChangeOfTwoOperations() throws {
        var list = try ReorderableList("a(a1) b", collapseSubElements: true)
        let operations = try list.move("a", .after("b")).operations
        #expect(
            Set(operations.map { "\($0)" })
                == Set(
                    [
                        ListOperation.collapse(task: "a", collapsed: true),
                        .move(task: "a", section: nil, parent: nil, position: 1),
                    ].map { "\($0)" }))
    }

    @Test func onlyTasksThatMustMoveGetOperations() throws {
        var list = try ReorderableList("a b c d")
        let outcome = try list.move(["b", "d"], .after("a"))
        #expect(
            outcome.operations == [.move(task: "d", section: nil, parent: nil, position: 2)])
    }

    @Test func anEmptyBlockChangesNothing() throws {
        var list = try ReorderableList("a b")
        let outcome = try list.move([TaskID](), .after("b"))
        #expect(!outcome.changed)
        #expect(outcome.tasks.isEmpty)
    }

    @Test func theSixteenthLevelIsTheHighest() throws {
        // A subtree of three levels below a chain of fifteen.
        let list = try ReorderableList(Outline.chain("c", levels: 15) + " a(b(c))")
        let layout = try RowLayout(of: list, moving: .task("a"))
        #expect(layout.levels(at: .init(section: nil, row: 15)) == 0...13)
        #expect(layout.levels(at: .init(section: nil, row: 14)) == nil)
        let refusal = list.refusal {
            try $0.move(MoveRequest(.task("a"), to: Destination(row: 15, level: 14)))
        }
        #expect(refusal == .depthLimit)
    }
}
