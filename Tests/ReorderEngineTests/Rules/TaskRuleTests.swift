import ReorderEngine
import Testing

@Suite struct TaskRuleTests {
    @Test func aTaskIsCreatedAtARow() throws {
        let list = try ReorderableList("a(a1) b #s1 c")
        #expect(try list.creating("x", .row(2)) == "a(a1) x b #s1 c")
    }

    @Test func allOfTheContentIsKept() throws {
        var list = try ReorderableList("a")
        let content = TaskContent(
            id: "x", title: "Früchte 🍎", collapsed: true, locked: true, done: true, data: "{}")
        let outcome = try list.create(content)
        let created = try #require(list.task("x"))
        #expect(created.content == content)
        #expect(outcome.operations == [.insert(created)])
        #expect(outcome.placedBy == .section)
    }

    @Test func updatingChangesOnlyGivenValues() throws {
        var list = try ReorderableList("a b")
        let set = TaskUpdate(title: "A", done: true, data: .set("[1]"))
        #expect(try list.update("a", set) == [.update(task: "a", set: set)])
        let expected = TaskContent(id: "a", title: "A", done: true, data: "[1]")
        #expect(list.task("a")?.content == expected)
        #expect(list.task("b")?.content == TaskContent(id: "b", title: "b"))
    }

    @Test func valuesThatATaskAlreadyHasChangeNothing() throws {
        var list = try ReorderableList("a")
        #expect(try list.update("a", TaskUpdate()).isEmpty)
        let same = TaskUpdate(title: "a", done: false, locked: false, data: .remove)
        #expect(try list.update("a", same).isEmpty)
        #expect(
            try list.update("a", TaskUpdate(title: "a", done: true))
                == [.update(task: "a", set: TaskUpdate(done: true))])
    }

    @Test func textIsComparedByBytes() throws {
        let (together, apart) = ("\u{E9}", "e\u{301}")
        var list = try ReorderableList("a #s1")
        _ = try list.update("a", TaskUpdate(title: together, data: .set(together)))
        let set = TaskUpdate(title: apart, data: .set(apart))
        #expect(try list.update("a", set).count == 1)
        #expect(list.task("a").map { Array($0.content.title.utf8) } == Array(apart.utf8))
        _ = try list.renameSection("s1", title: together)
        #expect(try list.renameSection("s1", title: apart).count == 1)
        _ = list.update(SettingsUpdate(title: together))
        #expect(list.update(SettingsUpdate(title: apart)).count == 1)
    }

    @Test func settingsChangeOnlyGivenDifferentValues() throws {
        var list = try ReorderableList("a b")
        let update = SettingsUpdate(title: "list", elementsOffset: 1, moves: .siblings)
        let changed = SettingsUpdate(elementsOffset: 1, moves: .siblings)
        #expect(list.update(update) == [.list(set: changed)])
        #expect(list.update(update).isEmpty)
        #expect(
            list.settings == ListSettings(title: "list", elementsOffset: 1, moves: .siblings))
    }
}
