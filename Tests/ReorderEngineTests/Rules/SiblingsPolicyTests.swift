import ReorderEngine
import Testing

@Suite struct SiblingsPolicyTests {
    private let list: ReorderableList

    init() throws {
        list = try ReorderableList("a(a1 a2) b #s1 c(c1)", moves: .siblings)
    }

    @Test func tasksMoveAmongTheirSiblings() throws {
        #expect(try list.moving("a", .after("b")) == "b a(a1 a2) #s1 c(c1)")
        #expect(try list.moving("a2", .before("a1")) == "a(a2 a1) b #s1 c(c1)")
        #expect(try list.moving("a2", .place(.subtasks(of: "a"), 0)) == "a(a2 a1) b #s1 c(c1)")
        #expect(try list.moving(["b", "a"], .place(.own, 0)) == "b a(a1 a2) #s1 c(c1)")
    }

    @Test func noMoveChangesATasksParent() throws {
        #expect(list.refusal(moving: "a1", .after("a")) == .notSiblings)
        #expect(list.refusal(moving: "b", .place(.subtasks(of: "a"))) == .notSiblings)
        #expect(list.refusal(moving: "a1", .place(.topLevel)) == .notSiblings)
        #expect(list.refusal(movingRow: 3, to: 2) == .notSiblings)
    }

    @Test func noMoveChangesATasksSection() throws {
        #expect(list.refusal(moving: "a", .after("c")) == .notSiblings)
        #expect(list.refusal(moving: "c", .place(.section(nil))) == .notSiblings)
    }

    @Test func aBlockMovesOnlyIfAllOfItAreSiblings() throws {
        #expect(list.refusal(moving: ["a", "c"], .after("b")) == .notSiblings)
        #expect(list.refusal(moving: ["b", "a1"], .place(.own)) == .notSiblings)
        // a1 moves with a, and keeps its parent.
        #expect(try list.moving(["a", "a1"], .after("b")) == "b a(a1 a2) #s1 c(c1)")
    }

    @Test func thePolicyDoesNotSelectAFallback() throws {
        // The first existing destination is used, even if a later one would be allowed.
        #expect(
            list.refusal(moving: "a", Destination(after: "c", before: "b")) == .notSiblings)
    }

    @Test func creatingAndDeletingAreAllowed() throws {
        #expect(try list.creating("x", .after("a1")) == "a(a1 x a2) b #s1 c(c1)")
        let deleted = try list.after { try $0.deleteSection("s1", tasks: .keep).operations }
        #expect(deleted == "a(a1 a2) b c(c1)")
    }
}
