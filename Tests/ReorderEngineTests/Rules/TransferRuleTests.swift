import ReorderEngine
import Testing

/// Moves of tasks to another list.
@Suite struct TransferRuleTests {
    private static let end = Destination.place(.section(nil))

    @Test func destinationsAreResolvedInTheOtherList() throws {
        let list = try ReorderableList("a(b) c #s d")
        let other = try ReorderableList("x(y) z #s v #t w")
        for (destination, outline) in [
            (Destination.after("x"), "x(y) c z #s v #t w"),
            (.before("y"), "x(c y) z #s v #t w"),
            (.place(.subtasks(of: "z")), "x(y) z(c) #s v #t w"),
            (.place(.section("t"), 0), "x(y) z #s v #t c w"),
            (.place(.section("s")), "x(y) z #s v c #t w"),
            (Self.end, "x(y) z c #s v #t w"),
            (.place(.section(nil), 99), "x(y) z c #s v #t w"),
            (.place(.topLevel, 1), "x(y) c z #s v #t w"),
            (.place(.own, 0), "c x(y) z #s v #t w"),
            (Destination(after: "a", before: "d", place: .init(.own)), "x(y) z c #s v #t w"),
            (Destination(after: "gone", before: "w"), "x(y) z #s v #t c w"),
        ] {
            let outlines = try list.transferring("c", to: other, destination)
            #expect(outlines == "a(b) #s d | \(outline)", "\(destination)")
        }
    }

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

    @Test func theOutcomeContainsTheFormerPlacements() throws {
        var list = try ReorderableList("a(b) c #s d")
        var other = try ReorderableList("x")
        let outcome = try list.transfer(
            MoveRequest(.tasks(["d", "b", "a", "d"]), to: .after("x")), to: &other)
        #expect(outcome.tasks.map(\.task) == ["d", "b", "a"].map { other.task($0) })
        #expect(
            outcome.tasks.map(\.from) == [
                Placement(section: "s", parent: nil, position: 0, row: 3),
                Placement(section: nil, parent: "a", position: 0, row: 1),
                Placement(section: nil, parent: nil, position: 0, row: 0),
            ])
        #expect(outcome.placedBy == .after)
    }

    @Test func aBlockArrivesContiguousAndInTheOrderOfTheArray() throws {
        let list = try ReorderableList("a(b c) d #s e(f)")
        let other = try ReorderableList("x y")
        let block = MoveRequest.Subject.tasks(["f", "d", "c", "a"])
        #expect(
            try list.transferring(block, to: other, .after("x")) == "#s e | x f d a(b c) y")
    }

    @Test func aRowOfTheOtherListIsTheRowOfTheMovedTask() throws {
        let list = try ReorderableList("a+(b) c")
        let other = try ReorderableList("x+(y) z(v) #s w")
        for (row, outline) in [
            (0, "c x+(y) z(v) #s w"), (1, "x+(y) c z(v) #s w"), (2, "x+(y) z(c v) #s w"),
            (3, "x+(y) z(v) #s c w"), (4, "x+(y) z(v) #s w c"), (99, "x+(y) z(v) #s w c"),
        ] {
            let outlines = try list.transferring(.row(1), to: other, .row(row))
            #expect(outlines == "a+(b) | \(outline)", "row \(row)")
        }
        #expect(
            list.refusal(transferring: .row(2), to: other, .row(0)) == .rowNotFound(2, count: 2))
    }

    @Test func aTaskKeepsItsLevelIfTheRowsOfTheOtherListAllowIt() throws {
        let list = try ReorderableList("a(b(c))")
        let other = try ReorderableList("x(y+(z))")
        #expect(try list.transferring(.row(0), to: other, .row(2)) == " | x(y+(z)) a(b(c))")
        #expect(try list.transferring(.row(1), to: other, .row(2)) == "a | x(y+(z) b(c))")
        #expect(try list.transferring(.row(2), to: other, .row(2)) == "a(b) | x(y+(z) c)")
        #expect(try list.transferring(.row(2), to: other, .row(0)) == "a(b) | c x(y+(z))")
        #expect(
            try list.transferring(.row(2), to: other, Destination(row: 2, level: 0))
                == "a(b) | x(y+(z)) c")
        #expect(
            list.refusal(transferring: .row(2), to: other, Destination(row: 2, level: 2))
                == .levelNotPossible(2, levels: 0...1))
    }

    @Test func anyRowOfAnEmptyListMeansItsTopLevel() throws {
        let list = try ReorderableList("a(b) c")
        let other = try ReorderableList("#s")
        #expect(try list.transferring(.row(0), to: other, .row(3)) == "c | a(b) #s")
    }

    @Test func theSourceListsSettingDecidesWhetherTasksArriveCollapsed() throws {
        var list = try ReorderableList("a(b(c)) d(e) f+(g(h)) i", collapseSubElements: true)
        var other = try ReorderableList("x")
        let outcome = try list.transfer(
            MoveRequest(.tasks(["a", "g", "i"]), to: .after("x")), to: &other)
        #expect(outcome.collapsed == ["a"])
        #expect(other.outline == "x a+(b(c)) g(h) i")

        var folding = try ReorderableList("y", collapseSubElements: true)
        let unfolded = try other.transfer(
            MoveRequest(.task("g"), to: .after("y")), to: &folding)
        #expect(unfolded.collapsed.isEmpty)
        #expect(folding.outline == "y g(h)")
    }

    @Test func aDestinationMissingInTheOtherListIsGone() throws {
        let list = try ReorderableList("a(b) c #s")
        let other = try ReorderableList("x")
        for destination in [
            Destination.after("c"), .after("a"), .before("b"), .place(.subtasks(of: "a")),
            .place(.section("s")), Destination(),
        ] {
            let refusal = list.refusal(transferring: .task("a"), to: other, destination)
            #expect(refusal == .anchorGone, "\(destination)")
        }
    }

    @Test func lockedRowsOfBothListsAreNotMoved() throws {
        let list = try ReorderableList("a b c! d(e!)", elementsOffset: 1)
        let other = try ReorderableList("x y(v) z", elementsOffset: 2)
        for (task, destination) in [
            ("a", Destination.after("z")), ("c", .after("z")), ("e", .after("z")),
            ("b", .before("x")), ("b", .after("x")), ("b", .before("y")),
        ] {
            let refusal = list.refusal(transferring: .task(task), to: other, destination)
            #expect(refusal == .locked, "\(task) \(destination)")
        }
        #expect(
            try list.transferring("b", to: other, .after("y")) == "a c! d(e!) | x y(v) b z")
        #expect(
            try list.transferring("b", to: other, .after("v")) == "a c! d(e!) | x y(v b) z")
    }

    @Test func aLockedTaskIsTransferredWithItsParent() throws {
        let list = try ReorderableList("a(b!) c")
        let other = try ReorderableList("x")
        #expect(try list.transferring("a", to: other, .after("x")) == "c | x a(b!)")
    }

    @Test func listsThatOnlyAllowMovesAmongSiblingsRefuseTransfers() throws {
        let free = try ReorderableList("a b")
        let strict = try ReorderableList("x y", moves: .siblings)
        #expect(free.refusal(transferring: .task("a"), to: strict, .after("x")) == .notSiblings)
        #expect(strict.refusal(transferring: .task("x"), to: free, .after("a")) == .notSiblings)
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
