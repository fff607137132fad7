import ReorderEngine
import Testing

@Suite struct RowMoveTests {
    // Rows: a 0, b 1, b1 2, b2 3, c 4 | d 5, d1 6.
    private let list: ReorderableList

    init() throws {
        list = try ReorderableList("a b(b1 b2) c+(c1) #s1 d(d1)")
    }

    private func moving(
        _ subject: MoveRequest.Subject, _ target: RowTarget, level: Int? = nil
    ) throws -> String {
        let destination = Destination(RowDestination(target, level: level))
        return try list.after { try $0.move(MoveRequest(subject, to: destination)).operations }
    }

    private func refusal(
        _ subject: MoveRequest.Subject, _ target: RowTarget, level: Int? = nil
    ) -> Refusal? {
        let destination = Destination(RowDestination(target, level: level))
        return list.refusal { try $0.move(MoveRequest(subject, to: destination)) }
    }

    @Test func theTaskIsAfterwardsAtTheNamedRow() throws {
        for row in 0..<list.rowCount {
            let task = try #require(list.task(atRow: row))
            let last = list.rowCount - 1 - (task.content.collapsed ? 0 : task.subtasks)
            for to in 0..<10 {
                var copy = list
                try copy.moveRow(row, to: to)
                #expect(copy.row(of: task.id) == min(to, last), "\(row) to \(to)")
            }
        }
    }

    @Test func theTaskKeepsItsLevelIfTheRowsBesideItAllowIt() throws {
        #expect(try list.movingRow(0, to: 3) == "b(b1 b2) a c+(c1) #s1 d(d1)")
        #expect(try list.movingRow(0, to: 1) == "b(a b1 b2) c+(c1) #s1 d(d1)")
        #expect(try list.movingRow(4, to: 2) == "a b(c+(c1) b1 b2) #s1 d(d1)")
        #expect(try list.movingRow(3, to: 2) == "a b(b2 b1) c+(c1) #s1 d(d1)")
        #expect(try list.movingRow(3, to: 0) == "b2 a b(b1) c+(c1) #s1 d(d1)")
        #expect(try list.movingRow(2, to: 4) == "a b(b2) c+(c1) b1 #s1 d(d1)")
    }

    @Test func aLevelCanBeNamed() throws {
        #expect(try moving(.row(0), .row(3), level: 0) == "b(b1 b2) a c+(c1) #s1 d(d1)")
        #expect(try moving(.row(0), .row(3), level: 1) == "b(b1 b2 a) c+(c1) #s1 d(d1)")
        #expect(try moving(.row(0), .row(3), level: 2) == "b(b1 b2(a)) c+(c1) #s1 d(d1)")
        #expect(try moving(.row(3), .row(3), level: 0) == "a b(b1) b2 c+(c1) #s1 d(d1)")
        #expect(refusal(.row(0), .row(3), level: 3) == .levelNotPossible(3, levels: 0...2))
        #expect(refusal(.row(0), .row(1), level: 0) == .levelNotPossible(0, levels: 1...1))
        // c is collapsed.
        #expect(refusal(.row(0), .row(4), level: 1) == .levelNotPossible(1, levels: 0...0))
    }

    @Test func atTheBorderOfTwoSectionsTheTaskStaysWithTheRowItPasses() throws {
        #expect(try list.movingRow(0, to: 4) == "b(b1 b2) c+(c1) a #s1 d(d1)")
        #expect(try list.movingRow(0, to: 5) == "b(b1 b2) c+(c1) #s1 d(a d1)")
        #expect(try list.movingRow(6, to: 5) == "a b(b1 b2) c+(c1) #s1 d1 d")
        #expect(try list.movingRow(6, to: 4) == "a b(b1 b2 d1) c+(c1) #s1 d")
        #expect(try list.movingRow(4, to: 4) == list.outline)
    }

    @Test func aSectionCanBeNamed() throws {
        #expect(
            try moving(.row(0), .rowInSection(4, "s1")) == "b(b1 b2) c+(c1) #s1 a d(d1)")
        #expect(
            try moving(.row(6), .rowInSection(5, nil)) == "a b(b1 b2) c+(c1) d1 #s1 d")
        #expect(refusal(.row(0), .rowInSection(3, "s1")) == .rowNotInSection(3, "s1", rows: 4...6))
        #expect(refusal(.row(0), .rowInSection(3, "gone")) == .anchorGone)
        let empty = try ReorderableList("a #s1 #s2 b")
        let last = Destination(RowDestination(.rowInSection(0, "s1")))
        var copy = empty
        _ = try copy.move(MoveRequest(.row(0), to: last))
        #expect(copy.outline == "#s1 a #s2 b")
    }

    @Test func anIndexPathCountsTheRowsOfItsSection() throws {
        #expect(try moving(.row(0), .path("s1", row: 0)) == "b(b1 b2) c+(c1) #s1 a d(d1)")
        #expect(try moving(.row(0), .path("s1", row: 9)) == "b(b1 b2) c+(c1) #s1 d(d1) a")
        #expect(try moving(.path("s1", row: 1), .path(nil, row: 0)) == "d1 a b(b1 b2) c+(c1) #s1 d")
        #expect(try moving(.path(nil, row: 4), .path(nil, row: 0)) == "c+(c1) a b(b1 b2) #s1 d(d1)")
        #expect(refusal(.path("s1", row: 2), .row(0)) == .rowNotFound(2, count: 2))
        #expect(refusal(.path("gone", row: 0), .row(0)) == .sectionNotFound("gone"))
        #expect(refusal(.row(0), .path("gone", row: 0)) == .anchorGone)
    }

    @Test func anOffsetCountsTheMovedRows() throws {
        #expect(try moving(.row(0), .offset(4)) == "b(b1 b2) a c+(c1) #s1 d(d1)")
        #expect(try moving(.row(1), .offset(5)) == "a c+(c1) b(b1 b2) #s1 d(d1)")
        for offset in 1...4 { #expect(try moving(.row(1), .offset(offset)) == list.outline) }
        #expect(try moving(.row(1), .offset(0)) == "b(b1 b2) a c+(c1) #s1 d(d1)")
        #expect(try moving(.row(5), .offsetInSection(nil, 1)) == "a d(d1) b(b1 b2) c+(c1) #s1")
        #expect(try moving(.row(5), .offsetInSection("s1", 9)) == list.outline)
    }

    @Test func severalRowsArriveTogetherFromTopToBottom() throws {
        #expect(try moving(.rows([4, 0]), .row(3)) == "b(b1 b2) a c+(c1) #s1 d(d1)")
        #expect(try moving(.rows([6, 0]), .path("s1", row: 0)) == "b(b1 b2) c+(c1) #s1 a d1 d")
        #expect(try moving(.rows([1, 2]), .row(0)) == "b(b1 b2) a c+(c1) #s1 d(d1)")
        #expect(try moving(.rows([0, 2]), .offset(7)) == "b(b2) c+(c1) #s1 d(d1) a b1")
        #expect(refusal(.rows([0, 7]), .row(0)) == .rowNotFound(7, count: 7))
    }

    @Test func aHiddenTaskGetsTheSectionOfTheRowBelow() throws {
        #expect(try moving(.task("c1"), .row(5)) == "a b(b1 b2) c+ #s1 c1 d(d1)")
        #expect(try moving(.task("c1"), .row(9)) == "a b(b1 b2) c+ #s1 d(d1 c1)")
    }

    @Test func movingARowPastTheLastIsRefused() throws {
        for row in [7, 100, Int.max, -1] {
            #expect(list.refusal(movingRow: row, to: 0) == .rowNotFound(row, count: 7))
        }
        let empty = try ReorderableList("")
        #expect(empty.refusal(movingRow: 0, to: 0) == .rowNotFound(0, count: 0))
    }

    @Test func theOutcomeNamesTheRow() throws {
        var copy = list
        #expect(try copy.moveRow(0, to: 1).placedBy == .row)
        #expect(try copy.moveRow(1, to: 1).placedBy == .row)
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
