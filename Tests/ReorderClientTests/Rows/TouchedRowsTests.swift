import RandomRuns
import ReorderEngine
import ReorderJSON
import Simulation
import Testing

@testable import ReorderClient

/// The rows that may differ between two states: all others are equal, and in the same order.
@Suite struct TouchedRowsTests {
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

    @Test(arguments: [
        ("a", "c", ["a"]), ("b", "c", ["b", "b1", "b2"]), ("b1", "a", ["b", "b1"]),
        ("d", "a", ["d"]),
    ])
    func aMoveTouchesTheTaskItsSubtasksAndItsParents(
        task: TaskID, sibling: TaskID, expected: [TaskID]
    ) throws {
        let before = try list()
        var after = before
        let move = Command.move(MoveRequest(.task(task), to: Destination(after: sibling)))
        let touched = TouchedRows.operations(try move.apply(to: &after).operations)
        let rows = touched.rows(in: before, and: after)
        #expect(rows.before.map(\.task.id).sorted() == expected)
        #expect(rows.after.map(\.task.id).sorted() == expected)
    }

    /// The row of a parent shows how many subtasks it has.
    @Test func aNewSubtaskTouchesItsParents() throws {
        let before = try list()
        var after = before
        let command = Command.create(
            TaskContent(id: "n", title: "n"), at: Destination(place: .init(.subtasks(of: "b"))))
        let touched = TouchedRows.operations(try command.apply(to: &after).operations)
        #expect(touched.rows(in: before, and: after).before.map(\.task.id) == ["b"])
        #expect(touched.rows(in: before, and: after).after.map(\.task.id) == ["b", "n"])
    }

    @Test(arguments: [(0, 2), (2, 0), (1, 4), (4, 1), (0, 9)])
    func rowsThatTheOffsetLocksOrUnlocksAreTouched(old: Int, new: Int) throws {
        var before = try list()
        _ = before.update(SettingsUpdate(elementsOffset: old))
        var after = before
        let touched = TouchedRows.operations(after.update(SettingsUpdate(elementsOffset: new)))
        var table = TableView(before)
        #expect(table.show(after, touched: touched) == nil)
        #expect(touched.rows(in: before, and: after).after.count < 7 || new == 9)
    }

    @Test func aRowThatTakesThePlaceOfALockedOneIsTouched() throws {
        var before = try list()
        _ = before.update(SettingsUpdate(elementsOffset: 1))
        var after = before
        var operations = after.update(SettingsUpdate(elementsOffset: 0))
        operations += try after.delete("a").operations
        operations += after.update(SettingsUpdate(elementsOffset: 1))
        var table = TableView(before)
        #expect(after.task(atRow: 0)?.isLockedByOffset == true)
        #expect(table.show(after, touched: .operations(operations)) == nil)
    }

    @Test func rowsThatAreNotTouchedAreEqual() throws {
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
            var table = TableView(old)
            let difference = table.show(new, touched: touched)
            try #require(difference == nil, "seed \(seed), step \(step)")
        }
    }
}
