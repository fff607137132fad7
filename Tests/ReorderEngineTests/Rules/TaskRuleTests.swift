import ReorderEngine
import Testing

@Suite struct TaskRuleTests {
    @Test func aTaskIsCreatedAtADestination() throws {
        let list = try ReorderableList("a(a1) b #s1 c")
        #expect(try list.creating("x", .after("a")) == "a(a1) x b #s1 c")
        #expect(try list.creating("x", .before("a1")) == "a(x a1) b #s1 c")
        #expect(try list.creating("x", .place(.subtasks(of: "b"))) == "a(a1) b(x) #s1 c")
        #expect(try list.creating("x", .place(.section("s1"), 0)) == "a(a1) b #s1 x c")
        #expect(try list.creating("x", .place(.section(nil), -3)) == "x a(a1) b #s1 c")
        let fallback = Destination(after: "gone", before: "c")
        #expect(try list.creating("x", fallback) == "a(a1) b #s1 x c")
        #expect(try list.creating("x", .row(2)) == "a(a1) x b #s1 c")
    }

    @Test func withoutADestinationATaskIsCreatedAtTheEndOfThoseWithoutASection() throws {
        let list = try ReorderableList("a #s1 c")
        #expect(try list.creating("x") == "a x #s1 c")
        #expect(try list.creating("x", .place(.own, 0)) == "x a #s1 c")
        #expect(try list.creating("x", .place(.topLevel)) == "a x #s1 c")
    }

    @Test func aTaskIsNotCreatedWithoutAnExistingDestination() throws {
        let list = try ReorderableList("a")
        #expect(list.refusal(creating: "x", .after("gone")) == .anchorGone)
        #expect(list.refusal(creating: "x", .after("x")) == .anchorGone)
        #expect(list.refusal(creating: "x", .place(.section("gone"))) == .anchorGone)
    }

    @Test func taskIdsAreUnique() throws {
        let list = try ReorderableList("a+(a1)")
        #expect(list.refusal(creating: "a1") == .idTaken("a1"))
    }

    @Test func aDeletedTasksIdCanBeUsedAgain() throws {
        var list = try ReorderableList("a(a1) b")
        _ = try list.delete("a")
        #expect(try list.creating("a1", .after("b")) == "b a1")
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

    @Test func dataIsSetAndRemoved() throws {
        var list = try ReorderableList("a")
        _ = try list.update("a", TaskUpdate(data: .set("1")))
        #expect(try list.update("a", TaskUpdate(data: .set("1"))).isEmpty)
        _ = try list.update("a", TaskUpdate(data: .remove))
        #expect(list.task("a")?.content.data == nil)
    }

    @Test func deletingTakesTheSubtree() throws {
        let list = try ReorderableList("a b(b1+(b11) b2) c")
        var copy = list
        let outcome = try copy.delete("b")
        #expect(outcome.operations == [.delete(task: "b")])
        #expect(outcome.deleted == ["b", "b1", "b11", "b2"])
        #expect(!["b", "b1", "b11", "b2"].contains { copy.contains($0) })
        #expect(try list.after { try $0.delete("b").operations } == "a c")
        #expect(try list.after { try $0.delete("b1").operations } == "a b(b2) c")
    }

    @Test func anUnknownTaskIsRefused() throws {
        let list = try ReorderableList("a")
        #expect(list.refusal(deleting: "gone") == .taskNotFound("gone"))
        let update = list.refusal { try $0.update("gone", TaskUpdate(title: "x")) }
        #expect(update == .taskNotFound("gone"))
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
