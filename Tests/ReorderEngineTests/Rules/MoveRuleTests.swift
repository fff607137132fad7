import ReorderEngine
import Testing

@Suite struct MoveRuleTests {
    @Test func movingAfterATaskInsertsDirectlyAfterIt() throws {
        let list = try ReorderableList("a b c")
        #expect(try list.moving("a", .after("b")) == "b a c")
        #expect(try list.moving("c", .after("a")) == "a c b")
    }

    @Test func movingBeforeATaskInsertsDirectlyBeforeIt() throws {
        let list = try ReorderableList("a b c")
        #expect(try list.moving("c", .before("a")) == "c a b")
        #expect(try list.moving("a", .before("c")) == "b a c")
    }

    @Test func movingAParentCarriesItsSubtreeInOrder() throws {
        let list = try ReorderableList("a(a1 a2(a21 a22) a3) b(b1)")
        #expect(try list.moving("a", .after("b")) == "b(b1) a(a1 a2(a21 a22) a3)")
        #expect(try list.moving("a", .before("b1")) == "b(a(a1 a2(a21 a22) a3) b1)")
        #expect(try list.moving("a2", .after("b")) == "a(a1 a3) b(b1) a2(a21 a22)")
    }

    @Test func movingACollapsedParentCarriesItsHiddenSubtree() throws {
        let list = try ReorderableList("a+(a1(a11) a2) b")
        #expect(try list.moving("a", .after("b")) == "b a+(a1(a11) a2)")
    }

    @Test func anAnchorDeterminesParentAndSection() throws {
        let list = try ReorderableList("a #s1 b(b1) #s2 c")
        #expect(try list.moving("a", .after("b1")) == "#s1 b(b1 a) #s2 c")
        #expect(try list.moving("b1", .before("c")) == "a #s1 b #s2 b1 c")
        #expect(try list.moving("c", .after("a")) == "a c #s1 b(b1) #s2")
    }

    @Test func aHiddenAnchorIsValid() throws {
        let list = try ReorderableList("a+(a1) b")
        #expect(try list.moving("b", .after("a1")) == "a+(a1 b)")
    }

    @Test func aPositionCountsAfterTheTaskIsTakenOut() throws {
        let list = try ReorderableList("a b c d")
        #expect(try list.moving("a", .place(.own, 0)) == "a b c d")
        #expect(try list.moving("a", .place(.own, 1)) == "b a c d")
        #expect(try list.moving("a", .place(.own, 2)) == "b c a d")
        #expect(try list.moving("d", .place(.own, 2)) == "a b d c")
    }

    @Test func aMissingOrTooLargePositionMeansTheEnd() throws {
        let list = try ReorderableList("a b c")
        for position in [nil, 2, 3, 1_000, Int.max] {
            #expect(try list.moving("a", .place(.own, position)) == "b c a")
        }
    }

    @Test func aNegativePositionMeansTheBeginning() throws {
        let list = try ReorderableList("a b c")
        #expect(try list.moving("c", .place(.own, -1)) == "c a b")
        #expect(try list.moving("c", .place(.own, .min)) == "c a b")
    }

    @Test func aParentMeansItsSubtasks() throws {
        let list = try ReorderableList("a(a1 a2) b")
        #expect(try list.moving("b", .place(.subtasks(of: "a"))) == "a(a1 a2 b)")
        #expect(try list.moving("b", .place(.subtasks(of: "a"), 1)) == "a(a1 b a2)")
        #expect(try list.moving("a1", .place(.subtasks(of: "a"), 1)) == "a(a2 a1) b")
        #expect(try list.moving("a1", .place(.subtasks(of: "b"), 0)) == "a(a2) b(a1)")
    }

    @Test func aSectionMeansItsTopLevel() throws {
        let list = try ReorderableList("a(a1) #s1 b(b1) c #s2")
        #expect(try list.moving("a", .place(.section("s1"), 1)) == "#s1 b(b1) a(a1) c #s2")
        #expect(try list.moving("b1", .place(.section("s2"))) == "a(a1) #s1 b c #s2 b1")
        #expect(try list.moving("b1", .place(.section("s1"), 0)) == "a(a1) #s1 b1 b c #s2")
    }

    @Test func noSectionMeansTheTasksWithoutOne() throws {
        let list = try ReorderableList("a #s1 b(b1)")
        #expect(try list.moving("b1", .place(.section(nil), 0)) == "b1 a #s1 b")
        #expect(try list.moving("b", .place(.section(nil))) == "a b(b1) #s1")
    }

    @Test func noParentMeansTheTopLevelOfTheTasksOwnSection() throws {
        let list = try ReorderableList("a #s1 b(b1(b11)) c")
        #expect(try list.moving("b11", .place(.topLevel)) == "a #s1 b(b1) c b11")
        #expect(try list.moving("b1", .place(.topLevel, 0)) == "a #s1 b1(b11) b c")
    }

    @Test func aPositionAloneMeansTheTasksOwnSiblings() throws {
        let list = try ReorderableList("a #s1 b(b1 b2 b3)")
        #expect(try list.moving("b1", .place(.own, 1)) == "a #s1 b(b2 b1 b3)")
        #expect(try list.moving("b1", .place(.own)) == "a #s1 b(b2 b3 b1)")
    }

    @Test func aMoveIsOneOperation() throws {
        var list = try ReorderableList("a(a1 a2) b(b1) #s1 c")
        let outcome = try list.move("a", .place(.section("s1"), 0))
        #expect(
            outcome.operations == [.move(task: "a", section: "s1", parent: nil, position: 0)])
        #expect(
            try list.move("c", .after("b1")).operations
                == [.move(task: "c", section: nil, parent: "b", position: 1)])
    }

    @Test func theOutcomeContainsTheFormerPlacement() throws {
        var list = try ReorderableList("a #s1 b(b1 b2+(b21)) c")
        let from = try list.move("b2", .after("a")).tasks.map(\.from)
        #expect(from == [Placement(section: "s1", parent: "b", position: 1, row: 3)])
        let hidden = try list.move("b21", .after("c")).tasks.map(\.from)
        #expect(hidden == [Placement(section: nil, parent: "b2", position: 0, row: nil)])
    }

    @Test func movingToTheCurrentPlaceChangesNothing() throws {
        let list = try ReorderableList("a b(b1 b2) c #s1 d", collapseSubElements: true)
        let destinations: [Destination] = [
            .after("a"), .before("c"), .place(.own, 1), .place(.topLevel, 1),
            .place(.section(nil), 1),
        ]
        for destination in destinations {
            var copy = list
            let outcome = try copy.move("b", destination)
            #expect(!outcome.changed)
            #expect(outcome.collapsed.isEmpty)
            #expect(outcome.tasks.map(\.task) == [list.task("b")])
            #expect(outcome.tasks.map(\.from) == [list.placement(of: "b")])
            #expect(copy == list)
        }
    }

    @Test func theEndOfASectionIsNotTheBeginningOfTheNext() throws {
        let list = try ReorderableList("a #s1 b")
        #expect(try list.moving("b", .after("a")) == "a b #s1")
        #expect(try list.moving("a", .before("b")) == "#s1 a b")
    }
}
