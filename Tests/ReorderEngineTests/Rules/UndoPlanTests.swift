import ReorderEngine
import Testing

@Suite struct UndoPlanTests {
    private static func list(tasks: Int, sections: Int = 0) throws -> ReorderableList {
        try ReorderableList(
            settings: ListSettings(title: "list"),
            sections: (0..<sections).map { (id: "s\($0)", title: "s") },
            tasks: (0..<tasks).map { number in
                ReorderableList.Entry(
                    content: TaskContent(id: "t\(number)", title: "t"),
                    parent: number == 0 ? nil : "t0")
            })
    }

    @Test func aDeletionCountsOnceForEachTaskOfItsSubtree() throws {
        let before = try Self.list(tasks: 5)
        let deletion: [ListOperation] = [.delete(task: "t0")]
        let plan = try UndoPlan(deletion, before: before, limit: 5)
        #expect(plan.operationCount == 5)
        #expect(throws: UndoConflict.tooLarge(limit: 4)) {
            try UndoPlan(deletion, before: before, limit: 4)
        }
        let two: [ListOperation] = [.collapse(task: "t0", collapsed: true), .delete(task: "t0")]
        #expect(try UndoPlan(two, before: before, limit: 6).operationCount == 6)
        #expect(throws: UndoConflict.tooLarge(limit: 5)) {
            try UndoPlan(two, before: before, limit: 5)
        }
        #expect(throws: UndoConflict.tooLarge(limit: 1)) {
            try UndoPlan(two, before: before, limit: 1)
        }
    }

    @Test(arguments: [true, false])
    func anInterruptedUndoChangesNothing(isLast: Bool) throws {
        var list = try Self.list(tasks: 10)
        let before = list
        let operations = (1..<10).map {
            ListOperation.move(task: "t\($0)", section: nil, parent: nil, position: 0)
        }
        for operation in operations { try list.apply(operation) }
        let after = list
        #expect(throws: UndoConflict.interrupted) {
            try UndoPlan(operations, before: before) { false }
        }
        let plan = try UndoPlan(operations, before: before)
        var left = 5
        #expect(throws: UndoConflict.interrupted) {
            try list.undo(plan, isLast: isLast) {
                left -= 1
                return left >= 0
            }
        }
        #expect(list == after)
        _ = try list.undo(plan, isLast: isLast)
        #expect(list == before)
    }

    @Test(arguments: [true, false])
    func manyOperationsOnSectionsAndTasksAreUndone(isLast: Bool) throws {
        var list = try Self.list(tasks: 3_000, sections: 500)
        let before = list
        var operations: [ListOperation] = []
        for number in 0..<300 {
            operations += [
                .sectionMove(section: "s\(number)", position: 499 - number),
                .move(task: "t\(number + 1)", section: "s\(number)", parent: nil, position: 0),
                .sectionInsert(section: "n\(number)", title: "n", position: number / 2),
                .sectionUpdate(section: "n\(number)", title: "m"),
            ]
            if number >= 200 { operations.append(.sectionDelete(section: "s\(number + 100)")) }
        }
        for operation in operations { try list.apply(operation) }
        let plan = try UndoPlan(operations, before: before)
        let outcome = try list.undo(plan, isLast: isLast)
        #expect(list == before)
        #expect(outcome.inserted.isEmpty && outcome.deleted.isEmpty)
    }
}
