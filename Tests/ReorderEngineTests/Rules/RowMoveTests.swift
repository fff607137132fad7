import ReorderEngine
import Testing

@Suite struct RowMoveTests {
    // Rows: a 0, b 1, b1 2, b2 3, c 4 | d 5, d1 6.
    private let list: ReorderableList

    init() throws {
        list = try ReorderableList("a b(b1 b2) c+(c1) #s1 d(d1)")
    }

    @Test func movingDownInsertsAfterTheOtherTasksSubtree() throws {
        #expect(try list.movingRow(0, to: 1) == "b(b1 b2) a c+(c1) #s1 d(d1)")
        #expect(try list.movingRow(0, to: 4) == "b(b1 b2) c+(c1) a #s1 d(d1)")
    }

    @Test func movingUpInsertsBeforeTheOtherTask() throws {
        #expect(try list.movingRow(4, to: 1) == "a c+(c1) b(b1 b2) #s1 d(d1)")
        #expect(try list.movingRow(4, to: 0) == "c+(c1) a b(b1 b2) #s1 d(d1)")
        #expect(try list.movingRow(3, to: 2) == "a b(b2 b1) c+(c1) #s1 d(d1)")
    }

    @Test func theTaskBecomesASiblingOfTheOneAtTheRow() throws {
        #expect(try list.movingRow(0, to: 2) == "b(b1 a b2) c+(c1) #s1 d(d1)")
        #expect(try list.movingRow(4, to: 3) == "a b(b1 c+(c1) b2) #s1 d(d1)")
        #expect(try list.movingRow(3, to: 0) == "b2 a b(b1) c+(c1) #s1 d(d1)")
        #expect(try list.movingRow(2, to: 4) == "a b(b2) c+(c1) b1 #s1 d(d1)")
    }

    @Test func movingUpToItsOwnParentInsertsBeforeIt() throws {
        #expect(try list.movingRow(3, to: 1) == "a b2 b(b1) c+(c1) #s1 d(d1)")
    }

    @Test func movingToAnotherSectionInsertsBeforeTheOtherTask() throws {
        #expect(try list.movingRow(0, to: 5) == "b(b1 b2) c+(c1) #s1 a d(d1)")
        #expect(try list.movingRow(0, to: 6) == "b(b1 b2) c+(c1) #s1 d(a d1)")
        #expect(try list.movingRow(6, to: 0) == "d1 a b(b1 b2) c+(c1) #s1 d")
    }

    @Test func aRowPastTheLastIsTheLastRow() throws {
        for row in [7, 8, 100, Int.max] {
            #expect(try list.movingRow(0, to: row) == "b(b1 b2) c+(c1) #s1 d(a d1)")
        }
        let flat = try ReorderableList("a b c")
        #expect(try flat.movingRow(0, to: 99) == "b c a")
    }

    @Test func movingARowPastTheLastIsRefused() throws {
        for row in [7, 100, Int.max, -1] {
            #expect(list.refusal(movingRow: row, to: 0) == .rowNotFound(row, count: 7))
        }
        let empty = try ReorderableList("")
        #expect(empty.refusal(movingRow: 0, to: 0) == .rowNotFound(0, count: 0))
    }

    @Test func movingARowToItselfChangesNothing() throws {
        for row in 0..<list.rowCount {
            var copy = list
            #expect(try !copy.moveRow(row, to: row).changed)
        }
        var copy = try ReorderableList("a b")
        #expect(try !copy.moveRow(1, to: 99).changed)
    }

    @Test func movingARowIntoItsOwnSubtreeIsACycle() throws {
        #expect(list.refusal(movingRow: 1, to: 2) == .cycle)
        #expect(list.refusal(movingRow: 5, to: 99) == .cycle)
    }

    @Test func theOutcomeNamesTheSideOfTheOtherTask() throws {
        var copy = list
        #expect(try copy.moveRow(0, to: 1).placedBy == .after)
        #expect(try copy.moveRow(4, to: 0).placedBy == .before)
        #expect(try copy.moveRow(0, to: 5).placedBy == .before)
    }

    @Test func aRowCanBeMovedToAnAnchor() throws {
        var copy = list
        let outcome = try copy.move(MoveRequest(.row(1), to: .after("d1")))
        #expect(outcome.tasks.map(\.task) == [copy.task("b")])
        #expect(copy.outline == "a c+(c1) #s1 d(d1 b(b1 b2))")
    }

    @Test func rowsCountVisibleTasksOnly() throws {
        let hidden = try ReorderableList("a+(a1(a11) a2) b")
        #expect(try hidden.movingRow(1, to: 0) == "b a+(a1(a11) a2)")
        #expect(
            hidden.refusal(movingRow: 2, to: 0) == .rowNotFound(2, count: 2))
    }
}
