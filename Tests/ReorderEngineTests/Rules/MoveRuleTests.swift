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

    /// The lowest level of the moved tasks is that of all, if the request names none.
    @Test(
        arguments: [
            ("p(k) q", ["k", "q"], Destination(RowDestination(.offset(3))), "p k q"),
            ("p(k) q", ["q", "k"], Destination(RowDestination(.offset(3))), "p q k"),
            ("p(k) q", ["k", "q"], Destination(row: 1, level: 1), "p(k q)"),
            ("p(k(m)) q(r)", ["m", "r"], Destination(row: 3), "p(k) q(m r)"),
            (
                "p(k) q #s x", ["k", "q"], Destination(place: .init(.own, position: 0)),
                "k q p #s x"
            ),
            ("p(k) q #s x", ["k", "x"], Destination(place: .init(.own)), "p q #s k x"),
        ] as [(String, [TaskID], Destination, String)])
    func noTaskGoesDeeperBecauseOfAnotherOneOfItsBlock(
        outline: String, tasks: [TaskID], destination: Destination, result: String
    ) throws {
        let list = try ReorderableList(outline)
        let moved = try list.after {
            try $0.move(MoveRequest(.tasks(tasks), to: destination)).operations
        }
        #expect(moved.contains(result), "\(moved)")
    }

    /// A task that was dropped between `a` and `b`, after one of them has moved away.
    @Test(
        arguments: [
            // The neighbor that is still in the named place decides.
            ("x b c #s a", .section(nil), "x b c"), ("x c a #s b", .section(nil), "c a x"),
            ("x #s b c #t a", .section("s"), "#s x b"), ("x p(b) a", .subtasks(of: "p"), "p(x b)"),
            ("x b p(a)", .section(nil), "x b"), ("p(x b) a", .subtasks(of: "p"), "p(x b)"),
            // Both are there, next to each other or not, or none of them is: the first one decides.
            ("x b c a", .section(nil), "b c a x"), ("x c #s a #t b", .section(nil), "#s a x"),
            ("x #s b #t a", .section("gone"), "#t a x"),
            ("x b #s a", .subtasks(of: "gone"), "#s a x"),
            // The others are relative to the task itself, and name no place.
            ("x b #s a", .topLevel, "#s a x"), ("x b #s a", .own, "#s a x"),
            ("x b #s a", nil, "#s a x"),
            // A neighbor that does not exist is no neighbor.
            ("x c #s a", .section(nil), "#s a x"), ("x b c", .section(nil), "x b"),
            ("x c", .section(nil), "c x"),
        ] as [(String, Destination.Siblings?, String)])
    func theNeighborThatStayedDecides(
        outline: String, siblings: Destination.Siblings?, result: String
    ) throws {
        let list = try ReorderableList(outline)
        let destination = Destination(
            after: "a", before: "b", place: siblings.map { .init($0, position: 1) })
        let moved = try list.after { try $0.move("x", destination).operations }
        #expect(moved.contains(result), "\(moved)")
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
