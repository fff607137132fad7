import ReorderEngine
import Testing

@Suite struct FallbackTests {
    private let everything = Destination(
        after: "b", before: "c", place: .init(.subtasks(of: "d"), position: 0))

    /// The outline, and the part of the destination that was used.
    private func moving(
        _ task: TaskID, _ destination: Destination, in list: ReorderableList
    ) throws -> (String, PlacedBy) {
        var list = list
        let placedBy = try list.move(task, destination).placedBy
        return (list.outline, placedBy)
    }

    @Test func afterTakesPrecedence() throws {
        let list = try ReorderableList("a b x c d")
        #expect(try moving("a", everything, in: list) == ("b a x c d", .after))
    }

    @Test func beforeIsUsedIfAfterIsGone() throws {
        let list = try ReorderableList("a x c d")
        #expect(try moving("a", everything, in: list) == ("x a c d", .before))
    }

    @Test func thePlaceIsUsedIfBothAnchorsAreGone() throws {
        let list = try ReorderableList("a x d(d1)")
        #expect(try moving("a", everything, in: list) == ("x d(a d1)", .parent))
    }

    @Test func theOutcomeNamesThePlaceThatWasUsed() throws {
        let list = try ReorderableList("a b #s1")
        #expect(try moving("a", .place(.section("s1")), in: list) == ("b #s1 a", .section))
        #expect(try moving("a", .place(.section(nil)), in: list) == ("b a #s1", .section))
        #expect(try moving("a", .place(.own), in: list) == ("b a #s1", .position))
        #expect(try moving("a", .place(.topLevel), in: list) == ("b a #s1", .parent))
        #expect(try moving("a", .place(.subtasks(of: "b")), in: list) == ("b(a) #s1", .parent))
    }

    @Test func anAnchorInsideTheMovedSubtreeIsSkipped() throws {
        let list = try ReorderableList("a(a1) b c")
        let afterOwn = Destination(after: "a1", before: "c")
        #expect(try moving("a", afterOwn, in: list) == ("b a(a1) c", .before))
        let onlyThePlace = Destination(after: "a", before: "a1", place: .init(.own, position: 2))
        #expect(try moving("a", onlyThePlace, in: list) == ("b c a(a1)", .position))
    }

    @Test func withNoDestinationLeftTheMoveIsRefused() throws {
        let list = try ReorderableList("a b")
        let gone = Destination(
            after: "gone", before: "gone", place: .init(.subtasks(of: "gone"), position: 0))
        #expect(list.refusal(moving: "a", gone) == .anchorGone)
        #expect(list.refusal(moving: "a", .place(.section("gone"))) == .anchorGone)
        #expect(list.refusal(moving: "a", Destination()) == .anchorGone)
    }

    @Test func theTaskItselfAsItsOnlyAnchorKeepsThePlace() throws {
        let list = try ReorderableList("a b(b1) c")
        for destination in [
            Destination.after("b"), .before("b"), Destination(after: "x", before: "b"),
        ] {
            var copy = list
            let outcome = try copy.move("b", destination)
            #expect(!outcome.changed)
            #expect(copy == list)
            #expect(outcome.placedBy == (destination.after == "b" ? .after : .before))
        }
    }

    @Test func aDescendantAsTheOnlyAnchorIsACycle() throws {
        let list = try ReorderableList("a(a1(a11)) b")
        #expect(list.refusal(moving: "a", .after("a1")) == .cycle)
        #expect(list.refusal(moving: "a", .before("a11")) == .cycle)
        #expect(list.refusal(moving: "a", Destination(after: "gone", before: "a1")) == .cycle)
    }

    @Test func intoItselfOrItsOwnSubtreeIsACycle() throws {
        let list = try ReorderableList("a(a1(a11)) b")
        for parent in ["a", "a1", "a11"] {
            #expect(list.refusal(moving: "a", .place(.subtasks(of: parent))) == .cycle)
        }
        #expect(try list.moving("a11", .place(.subtasks(of: "a"))) == "a(a1 a11) b")
    }

    @Test func ifAllRemainingAnchorsAreInsideTheFirstIsUsed() throws {
        let list = try ReorderableList("a(a1) b")
        #expect(list.refusal(moving: "a", Destination(after: "a1", before: "a")) == .cycle)
        #expect(try list.moving("a", Destination(after: "a", before: "a1")) == "a(a1) b")
        let intoItself = Destination(after: "a", place: .init(.subtasks(of: "a")))
        #expect(try list.moving("a", intoItself) == "a(a1) b")
    }
}
