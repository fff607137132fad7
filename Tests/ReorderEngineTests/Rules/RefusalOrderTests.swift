import ReorderEngine
import Testing

/// If several rules forbid a move, the first one in the order of the checks is reported.
@Suite struct RefusalOrderTests {
    /// All rules are violated: a and the rows are locked, and the chain is full.
    private let list: ReorderableList
    private let chain = Outline.chain("c", levels: 16)

    init() throws {
        list = try ReorderableList(
            "p q a!(a1) b(b1) \(chain)", elementsOffset: 2, moves: .siblings)
    }

    @Test func anUnknownTaskComesFirst() {
        #expect(list.refusal(moving: "gone", .after("gone")) == .taskNotFound("gone"))
        #expect(list.refusal(moving: ["a", "gone"], .after("a1")) == .taskNotFound("gone"))
    }

    @Test func theFirstUnknownTaskOfABlockIsReported() {
        #expect(list.refusal(moving: ["b", "x", "y"], .after("p")) == .taskNotFound("x"))
    }

    @Test func aMissingDestinationAndACycleComeBeforeTheLockOfTheMovedTask() {
        #expect(list.refusal(moving: "a", .after("gone")) == .anchorGone)
        #expect(list.refusal(moving: "a", .after("a1")) == .cycle)
        #expect(list.refusal(moving: "p", .place(.subtasks(of: "p"))) == .cycle)
    }

    @Test func theLockOfTheMovedTaskComesBeforeSiblings() {
        #expect(list.refusal(moving: "a", .place(.subtasks(of: "b"))) == .locked)
        #expect(list.refusal(moving: ["b1", "q"], .after("b")) == .locked)
    }

    @Test func theLockOfTheMovedTaskComesBeforeNoChange() {
        #expect(list.refusal(moving: "a", .after("q")) == .locked)
        #expect(list.refusal(moving: "a", .before("a")) == .locked)
    }

    @Test func siblingsComeBeforeTheDepthLimit() {
        #expect(list.refusal(moving: "b", .place(.subtasks(of: "c15"))) == .notSiblings)
    }

    @Test func siblingsComeBeforeTheLockOfTheDestination() {
        #expect(list.refusal(moving: "b1", .before("p")) == .notSiblings)
    }

    @Test func theLockOfTheDestinationComesLast() {
        #expect(list.refusal(moving: "b", .before("p")) == .locked)
    }

    @Test func creatingChecksTheIdThenTheDestinationThenTheDepthThenTheLocks() {
        #expect(list.refusal(creating: "a", .after("gone")) == .idTaken("a"))
        #expect(list.refusal(creating: "x", .after("gone")) == .anchorGone)
        #expect(list.refusal(creating: "x", .place(.subtasks(of: "c15"))) == .depthLimit)
        #expect(list.refusal(creating: "x", .before("p")) == .locked)
    }
}
