import ReorderEngine
import Testing

@Suite struct ReadingTests {
    // Rows: a 0, a1 1, a2 2, b 3 | c 4, d 5.
    private let list: ReorderableList

    init() throws {
        list = try ReorderableList("a(a1+(a11) a2) b #s1 c+(c1(c11)) d")
    }

    @Test func positionsCountSiblingsFromZeroWithoutGaps() {
        let positions = list.tasks.map { "\($0.id) \($0.placement.position)" }
        #expect(
            positions == [
                "a 0", "a1 0", "a11 0", "a2 1", "b 1", "c 0", "c1 0", "c11 0", "d 1",
            ])
    }

    @Test func depthCountsAncestorsAndSubtasksDirectChildren() {
        let counts = list.tasks.map { "\($0.id) \($0.depth) \($0.subtasks)" }
        #expect(
            counts == [
                "a 0 2", "a1 1 1", "a11 2 0", "a2 1 0", "b 0 0", "c 0 1", "c1 1 1", "c11 2 0",
                "d 0 0",
            ])
    }

    @Test func aSubtaskIsInTheSectionOfItsParent() {
        #expect(list.placement(of: "c11")?.section == "s1")
        #expect(list.placement(of: "a11")?.section == nil)
    }

    @Test func rowsAndTasksMatch() {
        for row in 0..<list.rowCount {
            let task = list.task(atRow: row)
            #expect(task?.placement.row == row)
            #expect(task.flatMap { list.row(of: $0.id) } == row)
        }
        #expect(list.task(atRow: -1) == nil)
        #expect(list.task(atRow: list.rowCount) == nil)
    }

    @Test func aWindowOfRowsContainsVisibleTasksOnly() {
        func window(_ row: Int, _ limit: Int) -> [TaskID] {
            list.tasks(fromRow: row, limit: limit).map(\.id)
        }
        #expect(window(0, 100) == ["a", "a1", "a2", "b", "c", "d"])
        #expect(window(2, 3) == ["a2", "b", "c"])
        #expect(window(5, 3) == ["d"])
        #expect(window(6, 3) == [])
        #expect(window(.max, .max) == [])
        #expect(window(-5, .max).count == 6)
        #expect(window(0, 0) == [])
        #expect(window(-5, 2) == ["a", "a1"])
        #expect(window(0, -1) == [])
    }

    @Test func aSubtreeIncludesHiddenTasks() {
        #expect(list.subtree(of: "a").map(\.id) == ["a", "a1", "a11", "a2"])
        #expect(list.subtree(of: "c1").map(\.id) == ["c1", "c11"])
        #expect(list.subtree(of: "gone").isEmpty)
        #expect(list.subtree(of: "c") == list.tasks.filter { $0.id.hasPrefix("c") })
    }

    @Test func unknownTasksAndSectionsAreNil() {
        #expect(list.task("gone") == nil)
        #expect(list.placement(of: "gone") == nil)
        #expect(!list.contains("gone"))
        #expect(list.contains("c11"))
        #expect(list.contains(section: "s1"))
        #expect(!list.contains(section: "gone"))
        #expect(!list.contains(section: "a"))
    }

    @Test func anyDifferenceMakesListsUnequal() throws {
        let changes: [(inout ReorderableList) throws -> [ListOperation]] = [
            { try $0.move("b", .before("a")).operations },
            { try $0.move("b", .place(.section("s1"))).operations },
            { try $0.collapse("a").operations },
            { try $0.update("a", TaskUpdate(title: "A")) },
            { try $0.update("a", TaskUpdate(done: true)) },
            { try $0.update("a", TaskUpdate(locked: true)) },
            { try $0.update("a", TaskUpdate(data: .set("{}"))) },
            { try $0.delete("d").operations },
            { $0.update(SettingsUpdate(title: "other")) },
            { $0.update(SettingsUpdate(elementsOffset: 1)) },
            { try $0.createSection("s2", title: "s2") },
            { try $0.renameSection("s1", title: "other") },
        ]
        for (index, change) in changes.enumerated() {
            var copy = list
            #expect(try !change(&copy).isEmpty)
            #expect(copy != list, "change \(index)")
        }
    }
}

@Suite struct CopyTests {
    @Test func aCopyIsNotAffectedByChangesOfTheOriginal() throws {
        var list = try ReorderableList("a(a1 a2) b #s1 c")
        let copy = list
        try list.move("a", .after("c"))
        try list.create("x", .after("a1"))
        _ = try list.delete("b")
        _ = try list.collapse("a")
        _ = try list.update("c", TaskUpdate(title: "new"))
        _ = try list.renameSection("s1", title: "new")
        #expect(list.outline == "#s1 c a+(a1 x a2)")
        #expect(copy.outline == "a(a1 a2) b #s1 c")
        #expect(copy.task("c")?.content.title == "c")
        #expect(copy.sections.map(\.title) == ["s1"])
        #expect(copy.checkInvariants() == nil)
    }
}
