import ReorderEngine
import Testing

@Suite struct BlockTests {
    @Test func aBlockArrivesContiguousInTheOrderOfTheArray() throws {
        let list = try ReorderableList("a b c d e")
        #expect(try list.moving(["d", "a"], .after("b")) == "b d a c e")
        #expect(try list.moving(["a", "c", "e"], .before("d")) == "b a c e d")
        #expect(try list.moving(["e", "d", "c", "b", "a"], .place(.own)) == "e d c b a")
    }

    @Test func aBlockGathersTasksFromSeveralPlaces() throws {
        let list = try ReorderableList("a(a1 a2) b #s1 c(c1)")
        #expect(try list.moving(["c1", "b", "a1"], .after("c")) == "a(a2) #s1 c c1 b a1")
        #expect(
            try list.moving(["c", "a2"], .place(.subtasks(of: "a"), 0)) == "a(c(c1) a2 a1) b #s1")
    }

    @Test func aPositionCountsAfterTheWholeBlockIsTakenOut() throws {
        let list = try ReorderableList("a b c d e")
        #expect(try list.moving(["a", "b"], .place(.own, 1)) == "c a b d e")
        #expect(try list.moving(["b", "d"], .place(.own, 1)) == "a b d c e")
        #expect(try list.moving(["a", "b", "c"], .place(.own, 2)) == "d e a b c")
    }

    @Test func aTaskWhoseAncestorIsNamedMovesWithTheAncestor() throws {
        let list = try ReorderableList("a(a1(a11) a2) b")
        #expect(try list.moving(["a", "a1"], .after("b")) == "b a(a1(a11) a2)")
        #expect(try list.moving(["a11", "a"], .after("b")) == "b a(a1(a11) a2)")
    }

    @Test func theOutcomeListsTheNamedTasksInTheOrderOfTheRequest() throws {
        var list = try ReorderableList("a(a1) b c")
        let before = list
        let outcome = try list.move(["c", "a1", "a", "c"], .before("b"))
        #expect(outcome.tasks.map(\.task) == ["c", "a1", "a"].compactMap { list.task($0) })
        #expect(
            outcome.tasks.map(\.from) == ["c", "a1", "a"].compactMap { before.placement(of: $0) })
        #expect(list.outline == "c a(a1) b")
    }

    @Test func aTaskNamedTwiceMovesOnce() throws {
        let list = try ReorderableList("a b c")
        #expect(try list.moving(["a", "a"], .after("b")) == "b a c")
        #expect(try list.moving(["c", "a", "c"], .place(.own, 0)) == "c a b")
    }

    @Test func aBlockMovesAllOrNone() throws {
        let list = try ReorderableList("a b! c")
        #expect(list.refusal(moving: ["a", "gone"], .after("c")) == .taskNotFound("gone"))
        #expect(list.refusal(moving: ["a", "b"], .after("c")) == .locked)
    }

    @Test func aBlockThatIsAlreadyInPlaceChangesNothing() throws {
        var list = try ReorderableList("a b c d")
        #expect(try !list.move(["b", "c"], .after("a")).changed)
        #expect(try !list.move(["b", "c"], .place(.own, 1)).changed)
        #expect(try list.move(["c", "b"], .after("a")).changed)
    }

    @Test func onlyTasksThatMustMoveGetOperations() throws {
        var list = try ReorderableList("a b c d")
        let outcome = try list.move(["b", "d"], .after("a"))
        #expect(
            outcome.operations == [.move(task: "d", section: nil, parent: nil, position: 2)])
    }

    @Test func anAnchorInTheBlockKeepsThePlace() throws {
        var list = try ReorderableList("a b c")
        #expect(try !list.move(["a", "c"], .after("c")).changed)
        #expect(list.outline == "a b c")
    }

    @Test func anAnchorBelowTheBlockIsACycle() throws {
        let list = try ReorderableList("a(a1) b(b1) c")
        #expect(list.refusal(moving: ["c", "b"], .after("b1")) == .cycle)
        #expect(list.refusal(moving: ["c", "b"], .place(.subtasks(of: "b1"))) == .cycle)
        // Also named, but it moves with its ancestor.
        #expect(list.refusal(moving: ["b", "b1"], .after("b1")) == .cycle)
    }

    @Test func aBlockSkipsAnchorsInItself() throws {
        let list = try ReorderableList("a b c d")
        let destination = Destination(after: "b", before: "d")
        #expect(try list.moving(["a", "b"], destination) == "c a b d")
    }

    @Test func theOwnSiblingsOfABlockAreThoseOfItsFirstRoot() throws {
        let list = try ReorderableList("a(a1 a2) b #s1 c(c1)")
        #expect(try list.moving(["a1", "b"], .place(.own)) == "a(a2 a1 b) #s1 c(c1)")
        #expect(try list.moving(["c1", "b"], .place(.topLevel, 0)) == "a(a1 a2) #s1 c1 b c")
        // a1 moves with a, so a's siblings are used.
        #expect(try list.moving(["a1", "a"], .place(.own)) == "b a(a1 a2) #s1 c(c1)")
    }

    @Test func anEmptyBlockChangesNothing() throws {
        var list = try ReorderableList("a b")
        let outcome = try list.move([TaskID](), .after("b"))
        #expect(!outcome.changed)
        #expect(outcome.tasks.isEmpty)
    }
}
