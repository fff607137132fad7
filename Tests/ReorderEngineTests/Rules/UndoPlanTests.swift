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

    // MARK: Changes of others

    /// A change of one value. With another number, it gives another value; booleans are negated.
    private struct Edit {
        var value: String
        var make: (inout ReorderableList, _ number: Int) throws -> [ListOperation]

        private static func task(
            _ id: TaskID, _ value: String,
            _ update: @escaping (TaskContent, _ number: Int) -> TaskUpdate
        ) -> Edit {
            Edit(value: "\(id) \(value)") { list, number in
                let content = try #require(list.task(id)?.content)
                return try list.update(id, update(content, number))
            }
        }

        static func ofTask(_ id: TaskID) -> [Edit] {
            [
                task(id, "title") { TaskUpdate(title: "title \($1)") },
                task(id, "done") { content, _ in TaskUpdate(done: !content.done) },
                task(id, "locked") { content, _ in TaskUpdate(locked: !content.locked) },
                task(id, "data") { TaskUpdate(data: .set("{\"n\":\($1)}")) },
            ]
        }

        static func ofSection(_ id: SectionID) -> [Edit] {
            [
                Edit(value: "\(id) title") { try $0.renameSection(id, title: "title \($1)") },
                Edit(value: "\(id) data") {
                    try $0.updateSection(id, data: .set("{\"n\":\($1)}"))
                },
                Edit(value: "\(id) limit") {
                    try $0.updateSection(id, maxTasks: .set(5 + $1))
                },
            ]
        }

        private static func settings(
            _ value: String, _ update: @escaping (ListSettings, _ number: Int) -> SettingsUpdate
        ) -> Edit {
            Edit(value: value) { $0.update(update($0.settings, $1)) }
        }

        static var ofSettings: [Edit] {
            [
                settings("title") { SettingsUpdate(title: "title \($1)") },
                settings("offset") { SettingsUpdate(elementsOffset: $1) },
                settings("collapse") { settings, _ in
                    SettingsUpdate(collapseSubElements: !settings.collapseSubElements)
                },
                settings("moves") { settings, _ in
                    SettingsUpdate(moves: settings.moves == .siblings ? .anywhere : .siblings)
                },
                settings("depth") { SettingsUpdate(maxDepth: .set(5 + $1)) },
                settings("tasks per section") { SettingsUpdate(maxTasksPerSection: .set(5 + $1)) },
                settings("tasks per parent") { SettingsUpdate(tasksPerParent: .set(5 + $1)) },
                settings("data") { SettingsUpdate(data: .set("{\"n\":\($1)}")) },
            ]
        }

        static func move(_ task: TaskID, to section: SectionID) -> Edit {
            Edit(value: "place of \(task)") { list, _ in
                let place = Destination(place: .init(.section(section)))
                return try list.move(MoveRequest(.task(task), to: place)).operations
            }
        }

        static func create(_ task: TaskID, in siblings: Destination.Siblings) -> Edit {
            Edit(value: "\(task) in \(siblings)") { list, _ in
                try list.create(
                    TaskContent(id: task, title: "new"), at: Destination(place: .init(siblings))
                ).operations
            }
        }
    }

    private static let sample = Result {
        try ReorderableList(
            settings: ListSettings(title: "list"), sections: [("s", "s"), ("u", "u")],
            tasks: ["a", "b"].map {
                .init(content: TaskContent(id: $0, title: $0), section: "u")
            })
    }

    /// Undoes a change after one of others. If it is not refused, what others did must be left, and nothing else.
    private func expectUndo(_ mine: Edit, after theirs: Edit, isPossible: Bool) throws {
        let before = try Self.sample.get()
        var list = before
        let plan = try UndoPlan(mine.make(&list, 1), before: before)
        let others = try theirs.make(&list, 2)
        #expect(!others.isEmpty, "\(theirs.value)")
        let after = list
        let isUndone = (try? list.undo(plan, isLast: false)) != nil
        #expect(isUndone == isPossible, "\(mine.value), then \(theirs.value)")
        guard isUndone, isPossible else { return #expect(list == after) }
        var expected = before
        _ = try theirs.make(&expected, 2)
        #expect(list == expected, "\(mine.value), then \(theirs.value)")
    }

    @Test func anUndoOfAValueKeepsTheValuesOfOthers() throws {
        let edits = Edit.ofTask("a") + Edit.ofSection("s") + Edit.ofSettings
        for mine in edits {
            for theirs in edits + Edit.ofTask("b") {
                try expectUndo(mine, after: theirs, isPossible: mine.value != theirs.value)
            }
        }
    }

    @Test func aCreationIsUndoneUnlessOthersHaveWrittenWhatItMade() throws {
        let task = Edit.create("n", in: .section("s"))
        for theirs in Edit.ofTask("n") + [.create("m", in: .subtasks(of: "n"))] {
            try expectUndo(task, after: theirs, isPossible: false)
        }
        let section = Edit(value: "n") { list, _ in
            try list.createSection("n", title: "n", position: 0)
        }
        for theirs in Edit.ofSection("n")
            + [.create("m", in: .section("n")), .move("a", to: "n")]
        {
            try expectUndo(section, after: theirs, isPossible: false)
        }
        let elsewhere =
            Edit.ofTask("a") + Edit.ofSection("s") + [.create("m", in: .section("u"))]
            + Edit.ofSettings.filter { $0.value != "offset" }
        for theirs in elsewhere {
            try expectUndo(task, after: theirs, isPossible: true)
            try expectUndo(section, after: theirs, isPossible: true)
        }
    }

    /// Tasks come back beside each other where others have added tasks, also with new ids.
    @Test(arguments: [["a", "b"], ["b", "a"]], [[:], ["a": "a2"], ["a": "a2", "b": "b2"]])
    func tasksThatComeBackKeepTheirNeighbors(deleted: [TaskID], ids: [TaskID: TaskID]) throws {
        let before = try ReorderableList("a(a1) b c")
        let deletions = deleted.map { ListOperation.delete(task: $0) }
        let plan = try UndoPlan(deletions, before: before).renamingTasks(ids)
        func named(_ tasks: [TaskID]) -> [TaskID] { tasks.map { ids[$0] ?? $0 } }
        for (isAdded, expected) in [
            (false, ["a", "a1", "b", "c"]), (true, ["x", "a", "a1", "b", "c", "y"]),
        ] {
            var list = before
            for deletion in deletions { try list.apply(deletion) }
            if isAdded {
                for (task, position) in [("x", 0), ("y", 2)] {
                    _ = try list.create(
                        TaskContent(id: task, title: ""),
                        at: Destination(place: .init(.section(nil), position: position)))
                }
            }
            _ = try list.undo(plan, isLast: false)
            #expect(list.taskIDs == named(expected))
            #expect(list.task(named(["a1"])[0])?.placement.parent == named(["a"])[0])
        }
    }
}
