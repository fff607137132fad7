import RandomRuns
import ReorderEngine
import ReorderJSON
import Simulation
import Testing

@testable import ReorderClient

@Suite struct RowDeltaTests {
    /// a, b (b1, b2), c, then section s with d, e.
    private func list() throws -> ReorderableList {
        try ReorderableList(
            settings: ListSettings(title: ""), sections: [(id: "s", title: "S")],
            tasks: [
                entry("a"), entry("b"), entry("b1", parent: "b"), entry("b2", parent: "b"),
                entry("c"), entry("d", section: "s"), entry("e", section: "s"),
            ])
    }

    private func entry(
        _ id: String, section: String? = nil, parent: String? = nil
    ) -> ReorderableList.Entry {
        .init(content: TaskContent(id: id, title: id), section: section, parent: parent)
    }

    private func delta(of commands: Command...) throws -> RowDelta {
        let before = try list()
        var after = before
        var touched = TouchedRows.operations([])
        for command in commands { touched.add(try command.apply(to: &after).operations) }
        return RowDelta(from: before, to: after, touched: touched)
    }

    @Test func aMovedRowIsTheOnlyOneThatMoves() throws {
        let delta = try delta(of: .move(MoveRequest(.task("a"), to: Destination(after: "c"))))
        #expect(delta.moved == [.init(from: 0, to: 4)])
        #expect(delta.removed.isEmpty && delta.inserted.isEmpty && delta.updated.isEmpty)
    }

    @Test func aSubtreeMovesRowByRowAndItsParentsAreUpdated() throws {
        let delta = try delta(of: .move(MoveRequest(.task("b"), to: .init(after: "e"))))
        #expect(delta.moved.map(\.from) == [1, 2, 3])
        #expect(delta.moved.map(\.to) == [4, 5, 6])
    }

    @Test func collapsingRemovesAndExpandingInserts() throws {
        let collapsed = try delta(of: .collapse("b", true))
        #expect(collapsed.removed == [2, 3])
        #expect(collapsed.updated == [1])
        let before = try list()
        var folded = before
        _ = try folded.collapse("b")
        let expanded = RowDelta(
            from: folded, to: before,
            touched: .operations([.collapse(task: "b", collapsed: false)]))
        #expect(expanded.inserted == [2, 3])
    }

    @Test func aSubtaskThatLeavesUpdatesTheParent() throws {
        let delta = try delta(of: .move(MoveRequest(.task("b1"), to: Destination(before: "a"))))
        #expect(delta.moved == [.init(from: 2, to: 0)])
        // b has one subtask less, and b1 has another depth.
        #expect(delta.updated == [0, 2])
    }

    @Test func aMovedSectionTakesItsRows() throws {
        let delta = try delta(
            of: .createSection("t", title: "T", position: 1),
            .move(MoveRequest(.task("a"), to: .init(place: .init(.section("t"))))),
            .moveSection("t", position: 0))
        #expect(delta.moved == [.init(from: 0, to: 4)])
    }

    @Test(arguments: [(0, 2), (2, 0), (1, 4), (4, 1), (0, 9)])
    func rowsThatTheOffsetLocksOrUnlocksAreUpdated(old: Int, new: Int) throws {
        var before = try list()
        _ = before.update(SettingsUpdate(elementsOffset: old))
        var after = before
        let touched = TouchedRows.operations(after.update(SettingsUpdate(elementsOffset: new)))
        let rows = { (list: ReorderableList) in list.tasks(fromRow: 0, limit: list.rowCount) }
        let expected = zip(rows(before), rows(after)).enumerated()
            .filter { $0.element.0.isLockedByOffset != $0.element.1.isLockedByOffset }.map(\.offset)
        #expect(!expected.isEmpty)
        let delta = RowDelta(from: before, to: after, touched: touched)
        #expect(delta.updated == expected)
        #expect(RowDelta(from: before, to: after, touched: .all) == delta)
    }

    @Test func aRowThatTakesThePlaceOfALockedOneIsUpdated() throws {
        var before = try list()
        _ = before.update(SettingsUpdate(elementsOffset: 1))
        var after = before
        var operations = after.update(SettingsUpdate(elementsOffset: 0))
        operations += try after.delete("a").operations
        operations += after.update(SettingsUpdate(elementsOffset: 1))
        let delta = RowDelta(from: before, to: after, touched: .operations(operations))
        #expect(after.task(atRow: 0)?.isLockedByOffset == true)
        #expect(delta.removed == [0] && delta.updated == [0])
    }

    @Test func aDeltaLeadsFromTheOldRowsToTheNewOnes() throws {
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        var commands = RandomCommands(name: "t")
        var list = try list()
        for step in 0..<RandomRun.operations(400) {
            let before = list
            var touched = TouchedRows.operations([])
            for _ in 0...random.below(5) {
                let command = commands.next(on: list, &random)
                touched.add((try? command.apply(to: &list).operations) ?? [])
            }
            // Tests both directions, because operations are undone too when others' changes are
            // inserted below them.
            let (old, new) = random.chance(50) ? (before, list) : (list, before)
            let delta = RowDelta(from: old, to: new, touched: touched)
            check(delta, from: old, to: new, "seed \(seed), step \(step)")
            let full = RowDelta(from: old, to: new, touched: .all)
            check(full, from: old, to: new, "seed \(seed), step \(step), all")
            // Comparing all rows can find fewer moves, never more.
            #expect(full.moved.count <= delta.moved.count, "seed \(seed), step \(step)")
        }
    }

    private func check(
        _ delta: RowDelta, from old: ReorderableList, to new: ReorderableList,
        _ comment: Comment
    ) {
        let oldRows = old.tasks(fromRow: 0, limit: old.rowCount).map(Cell.init)
        let newRows = new.tasks(fromRow: 0, limit: new.rowCount).map(Cell.init)
        let result = delta.applied(to: oldRows) { newRows[$0] }
        #expect(result == newRows, comment)
        // Each index is used once.
        #expect(
            Set(delta.removed + delta.moved.map(\.from)).count
                == delta.removed.count + delta.moved.count, comment)
        #expect(
            Set(delta.inserted + delta.moved.map(\.to)).count
                == delta.inserted.count + delta.moved.count, comment)
    }

    /// The displayed properties of a cell.
    private struct Cell: Equatable {
        var content: TaskContent
        var depth: Int
        var subtasks: Int

        init(_ task: ListTask) {
            (content, depth, subtasks) = (task.content, task.depth, task.subtasks)
        }
    }
}
