import ReorderEngine
import Testing

@Suite struct CollapseRuleTests {
    @Test func collapseSetsAValue() throws {
        var list = try ReorderableList("a(a1) b")
        #expect(try list.collapse("a", true).operations == [.collapse(task: "a", collapsed: true)])
        #expect(try list.collapse("a", true).operations.isEmpty)
        #expect(list.outline == "a+(a1) b")
        #expect(try list.collapse("a", false).operations.count == 1)
        #expect(try list.collapse("a", false).operations.isEmpty)
        #expect(list.outline == "a(a1) b")
    }

    @Test func aTaskIsVisibleIfNoAncestorIsCollapsed() throws {
        let list = try ReorderableList("a(a1+(a11(a111)) a2) b")
        #expect(["a", "a1", "a2", "b"].map(list.row) == [0, 1, 2, 3])
        #expect(["a11", "a111", "gone"].map(list.row) == [nil, nil, nil])
        #expect(list.rowCount == 4)
        #expect(list.count == 6)
    }

    @Test func collapsingReturnsTheRemovedRows() throws {
        var list = try ReorderableList("x a(a1(a11) a2+(a21) a3) b")
        #expect(try list.collapse("a").rows == .removed(start: 2, count: 4))
        #expect(list.rowCount == 3)
    }

    @Test func expandingReturnsTheInsertedRows() throws {
        var list = try ReorderableList("x a+(a1(a11) a2+(a21)) b")
        let rows = try list.collapse("a", false).rows
        let shown = ["a1", "a11", "a2"].compactMap(list.task)
        #expect(rows == .inserted(start: 2, count: 3))
        #expect(list.tasks(fromRow: 2, limit: 3) == shown)
        #expect(shown.map(\.placement.row) == [2, 3, 4])
    }

    @Test func withoutAChangeOfVisibleRowsNoRowsAreReturned() throws {
        var list = try ReorderableList("a b+(b1(b11) b2+(b21))")
        #expect(try list.collapse("a").rows == nil, "a has no subtasks")
        #expect(try list.collapse("b1").rows == nil, "b1 is hidden")
        #expect(try list.collapse("b2", false).rows == nil, "b2 is hidden")
        #expect(try list.collapse("b").rows == nil, "b is collapsed already")
        #expect(list.outline == "a+ b+(b1+(b11) b2(b21))")
    }

    @Test func expandingKeepsCollapsedDescendantsCollapsed() throws {
        var list = try ReorderableList("a(a1(a11) a2(a21))")
        _ = try list.collapse("a1")
        _ = try list.collapse("a")
        _ = try list.collapse("a", false)
        #expect(list.outline == "a(a1+(a11) a2(a21))")
    }

    @Test func anUnknownTaskCannotBeCollapsed() throws {
        let list = try ReorderableList("a")
        let refusal = list.refusal { try $0.collapse("gone") }
        #expect(refusal == .taskNotFound("gone"))
    }

    @Test func aTaskWithoutSubtasksStoresItsCollapsedValue() throws {
        let list = try ReorderableList("a+ b")
        #expect(try list.moving("b", .place(.subtasks(of: "a"))) == "a+(b)")
    }
}

@Suite struct CollapseSubElementsTests {
    private func moving(
        _ tasks: [TaskID], _ destination: Destination, in outline: String
    ) throws -> (String, [TaskID]) {
        let list = try ReorderableList(outline, collapseSubElements: true)
        var copy = list
        let collapsed = try copy.move(tasks, destination).collapsed
        return (try list.moving(tasks, destination), collapsed)
    }

    @Test func movingATaskWithVisibleSubtasksCollapsesIt() throws {
        #expect(try moving(["a"], .after("b"), in: "a(a1(a11)) b") == ("b a+(a1(a11))", ["a"]))
    }

    @Test func aCollapsingMoveIsOneChangeOfTwoOperations() throws {
        var list = try ReorderableList("a(a1) b", collapseSubElements: true)
        let operations = try list.move("a", .after("b")).operations
        #expect(
            Set(operations.map { "\($0)" })
                == Set(
                    [
                        ListOperation.collapse(task: "a", collapsed: true),
                        .move(task: "a", section: nil, parent: nil, position: 1),
                    ].map { "\($0)" }))
    }

    @Test func aTaskWithoutVisibleSubtasksIsNotCollapsed() throws {
        #expect(try moving(["a"], .after("b"), in: "a b") == ("b a", []))
        #expect(try moving(["a"], .after("b"), in: "a+(a1) b") == ("b a+(a1)", []))
        #expect(
            try moving(["a"], .after("b"), in: "x+(a(a1)) b") == ("x+ b a(a1)", []),
            "a's subtasks are hidden with it")
    }

    @Test func aTaskThatBecomesHiddenCollapsesToo() throws {
        #expect(
            try moving(["a"], .place(.subtasks(of: "b")), in: "a(a1) b+(b1)")
                == ("b+(b1 a+(a1))", ["a"]))
    }

    @Test func aBlockCollapsesEachTaskWithVisibleSubtasks() throws {
        #expect(
            try moving(["c", "a", "b"], .after("d"), in: "a(a1) b+(b1) c(c1) d")
                == ("d c+(c1) a+(a1) b+(b1)", ["c", "a"]))
    }

    @Test func movedDescendantsAreNotCollapsed() throws {
        #expect(
            try moving(["a", "a1"], .after("b"), in: "a(a1(a11)) b") == ("b a+(a1(a11))", ["a"]))
    }

    @Test func aMoveThatChangesNothingCollapsesNothing() throws {
        #expect(try moving(["b"], .after("a"), in: "a b(b1)") == ("a b(b1)", []))
    }

    @Test func withoutTheSettingNothingCollapses() throws {
        let list = try ReorderableList("a(a1) b")
        #expect(try list.moving("a", .after("b")) == "b a(a1)")
    }
}
