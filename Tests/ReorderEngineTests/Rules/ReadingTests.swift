import ReorderEngine
import Testing

@Suite struct ReadingTests {
    // Rows: a 0, a1 1, a2 2, b 3 | c 4, d 5.
    private let list: ReorderableList

    init() throws {
        list = try ReorderableList("a(a1+(a11) a2) b #s1 c+(c1(c11)) d")
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
