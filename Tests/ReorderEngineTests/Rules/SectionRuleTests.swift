import ReorderEngine
import Testing

@Suite struct SectionRuleTests {
    @Test func aSectionsDataIsSetChangedAndRemoved() throws {
        var list = try ReorderableList("a #s1 b")
        func data(_ section: SectionID) -> String? { list.section(section)?.data }
        _ = try list.createSection("s2", title: "S2", data: "[1]")
        #expect(data("s2") == "[1]")
        #expect(try list.updateSection("s2", data: .set("[1]")).isEmpty)
        #expect(
            try list.updateSection("s2", data: .set("{}"))
                == [.sectionUpdate(section: "s2", title: "S2", data: .set("{}"))])
        #expect(
            try list.updateSection("s2", title: "T", data: .remove)
                == [.sectionUpdate(section: "s2", title: "T", data: .remove)])
        #expect(try list.updateSection("s2", data: .remove).isEmpty)
        #expect(data("s2") == nil)
        #expect(data("s1") == nil)
        _ = try list.updateSection("s1", data: .set("{}"))
        #expect(try list.after { try $0.deleteSection("s1", tasks: .keep).operations } == "a b #s2")
    }

    @Test func undoingAChangeOfASectionsDataKeepsALaterTitle() throws {
        let before = try ReorderableList("#s1 b")
        var list = before
        let plan = try UndoPlan(list.updateSection("s1", data: .set("{}")), before: before)
        _ = try list.renameSection("s1", title: "new")
        var other = list
        _ = try list.undo(plan, isLast: false)
        #expect(list.section("s1") == ListSection(id: "s1", title: "new", tasks: 1))
        _ = try other.updateSection("s1", data: .set("[]"))
        #expect(throws: UndoConflict.sectionChanged("s1")) {
            try other.undo(plan, isLast: false)
        }
    }

    @Test func aNewSectionWhoseDataWasChangedIsNotDeletedByAnUndo() throws {
        let before = try ReorderableList("a")
        var list = before
        let plan = try UndoPlan(
            list.createSection("s", title: "S", data: "[1]"), before: before)
        var changed = list
        _ = try list.undo(plan, isLast: false)
        #expect(list == before)
        _ = try changed.updateSection("s", data: .remove)
        #expect(throws: UndoConflict.sectionChanged("s")) {
            try changed.undo(plan, isLast: false)
        }
    }

    @Test func theTasksWithoutASectionComeFirst() throws {
        let list = try ReorderableList("a #s1 b #s2 c")
        #expect(list.tasks.map(\.id) == ["a", "b", "c"])
        #expect(list.tasks.map(\.placement.section) == [nil, "s1", "s2"])
        #expect(list.tasks.map(\.placement.position) == [0, 0, 0])
    }

    @Test func headersAreNotRows() throws {
        let list = try ReorderableList("#s1 a #s2 #s3 b")
        #expect(list.tasks.map(\.placement.row) == [0, 1])
        #expect(list.rowCount == 2)
        #expect(list.count == 2)
    }

    @Test func sectionsCountTheirTopLevelTasks() throws {
        let list = try ReorderableList("x #s1 a(a1 a2) b #s2")
        #expect(
            list.sections == [
                ListSection(id: "s1", title: "s1", tasks: 2),
                ListSection(id: "s2", title: "s2", tasks: 0),
            ])
    }

    @Test func aSectionIsCreatedEmptyAtItsPositionOrLast() throws {
        let list = try ReorderableList("a #s1 b")
        func creating(_ position: Int?) throws -> String {
            try list.after { try $0.createSection("new", title: "New", position: position) }
        }
        #expect(try creating(nil) == "a #s1 b #new")
        #expect(try creating(0) == "a #new #s1 b")
        #expect(try creating(1) == "a #s1 b #new")
        #expect(try creating(99) == "a #s1 b #new")
        #expect(try creating(-1) == "a #new #s1 b")
    }

    @Test func sectionIdsAreUniqueButMayEqualATaskId() throws {
        let list = try ReorderableList("a #s1")
        let refusal = list.refusal { try $0.createSection("s1", title: "again") }
        #expect(refusal == .idTaken("s1"))
        #expect(try list.after { try $0.createSection("a", title: "A") } == "a #s1 #a")
    }

    @Test func renamingASectionChangesItsTitle() throws {
        var list = try ReorderableList("#s1 a")
        let operations = try list.renameSection("s1", title: "New")
        #expect(operations == [.sectionUpdate(section: "s1", title: "New")])
        #expect(list.sections.map(\.title) == ["New"])
        #expect(try list.renameSection("s1", title: "New").isEmpty)
    }

    @Test func movingASectionCarriesItsTasks() throws {
        let list = try ReorderableList("x #s1 a(a1) #s2 b #s3 c")
        func moving(_ section: SectionID, _ position: Int?) throws -> String {
            try list.after { try $0.moveSection(section, position: position) }
        }
        #expect(try moving("s1", 1) == "x #s2 b #s1 a(a1) #s3 c")
        #expect(try moving("s1", nil) == "x #s2 b #s3 c #s1 a(a1)")
        #expect(try moving("s1", 99) == "x #s2 b #s3 c #s1 a(a1)")
        #expect(try moving("s3", 0) == "x #s3 c #s1 a(a1) #s2 b")
        #expect(try moving("s3", -5) == "x #s3 c #s1 a(a1) #s2 b")
    }

    @Test func movingASectionToItsPlaceChangesNothing() throws {
        var list = try ReorderableList("#s1 a #s2 b")
        #expect(try list.moveSection("s1", position: 0).isEmpty)
        #expect(try list.moveSection("s2", position: nil).isEmpty)
    }

    @Test func keptTasksOfADeletedSectionMoveToTheEndOfThoseWithoutOne() throws {
        let list = try ReorderableList("x #s1 a(a1 a2+(a21)) b #s2 c")
        var copy = list
        let outcome = try copy.deleteSection("s1", tasks: .keep)
        #expect(outcome.deleted.isEmpty)
        #expect(
            outcome.operations == [
                .move(task: "a", section: nil, parent: nil, position: 1),
                .move(task: "b", section: nil, parent: nil, position: 2),
                .sectionDelete(section: "s1"),
            ])
        let kept = try list.after { try $0.deleteSection("s1", tasks: .keep).operations }
        #expect(kept == "x a(a1 a2+(a21)) b #s2 c")
    }

    @Test func tasksOfADeletedSectionCanBeDeletedWithTheirSubtrees() throws {
        let list = try ReorderableList("x #s1 a(a1 a2+(a21)) b #s2 c")
        var copy = list
        #expect(
            try copy.deleteSection("s1", tasks: .delete).deleted == ["a", "a1", "a2", "a21", "b"])
        let rest = try list.after { try $0.deleteSection("s1", tasks: .delete).operations }
        #expect(rest == "x #s2 c")
    }

    @Test func anUnknownSectionIsRefused() throws {
        let list = try ReorderableList("a #s1 b")
        let refusals = [
            list.refusal { try $0.renameSection("gone", title: "x") },
            list.refusal { try $0.moveSection("gone", position: 0) },
            list.refusal { try $0.deleteSection("gone", tasks: .keep) },
        ]
        #expect(refusals == Array(repeating: .sectionNotFound("gone"), count: 3))
    }
}
