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

    // MARK: Locked rows, which random lists seldom have before a section's tasks

    @Test func movingASectionMustNotDisplaceLockedRows() throws {
        let list = try ReorderableList("a #s1 b c #s2 d #s3", elementsOffset: 2)
        func refusal(_ section: SectionID, _ position: Int) -> Refusal? {
            list.refusal { try $0.moveSection(section, position: position) }
        }
        #expect(refusal("s1", 1) == .locked)
        #expect(refusal("s2", 0) == .locked)
        #expect(refusal("s2", 2) == nil)
        #expect(refusal("s3", 0) == nil, "an empty section displaces nothing")
    }

    @Test func deletingASectionMustNotAffectLockedRows() throws {
        func refusal(_ list: ReorderableList, _ section: SectionID) -> [Refusal?] {
            ReorderableList.SectionTasks.allCases.map { tasks in
                list.refusal { try $0.deleteSection(section, tasks: tasks) }
            }
        }
        // allCases: keep, delete.
        let list = try ReorderableList("a #s1 b c #s2 d #s3", elementsOffset: 2)
        #expect(refusal(list, "s1") == [.locked, .locked])
        #expect(refusal(list, "s2") == [.locked, nil], "in the same place, d would be before b")
        #expect(refusal(list, "s3") == [nil, nil])
        let first = try ReorderableList("a #s1 b", elementsOffset: 1)
        #expect(refusal(first, "s1") == [nil, nil])
    }
}
