import ReorderEngine
import Testing

/// The times of tasks and lists. Each change replays to the same times.
@Suite struct TimeTests {
    private static func list(_ outline: String) throws -> ReorderableList {
        var list = try ReorderableList(outline)
        list.completeStamps(replacing: nil, ChangeStamp(time: 1))
        return list
    }

    /// Makes a change at a time, and replays it on a copy.
    private func change(
        _ list: inout ReorderableList, at time: Int64,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (inout ReorderableList) throws -> [ListOperation]
    ) throws {
        var copy = list
        list.changeStamp = ChangeStamp(time: time)
        let operations = try body(&list)
        copy.changeStamp = ChangeStamp(time: time)
        try copy.apply(operations)
        #expect(copy == list, "the replay differs", sourceLocation: sourceLocation)
        #expect(list.checkInvariants() == nil, sourceLocation: sourceLocation)
    }

    private func times(_ list: ReorderableList, _ task: TaskID) -> [Int64?] {
        let times = list.task(task)?.content.stamps ?? TaskStamps()
        return [times.createdAt, times.updatedAt, times.completedAt]
    }

    @Test func aNewTaskHasTheTimeOfItsCreation() throws {
        var list = try Self.list("a")
        try change(&list, at: 5) { list in
            let content = TaskContent(
                id: "x", title: "", done: true, stamps: TaskStamps(createdAt: 2, completedAt: 3))
            return try list.create(content).operations
        }
        try change(&list, at: 6) { try $0.create("y").operations }
        #expect(times(list, "x") == [5, 5, 5])
        #expect(times(list, "y") == [6, 6, nil])
        #expect(times(list, "a") == [1, 1, nil])
        #expect(list.times == ListTimes(createdAt: 1, updatedAt: 6))
    }

    @Test func onlyTheNamedTaskIsUpdated() throws {
        var list = try Self.list("a(a1) b c #s1 d")
        try change(&list, at: 2) { try $0.update("a1", TaskUpdate(title: "new")) }
        try change(&list, at: 3) { try $0.move("c", .before("a")).operations }
        try change(&list, at: 4) { try $0.collapse("a").operations }
        try change(&list, at: 5) { try $0.move("a", .after("d")).operations }
        try change(&list, at: 6) { $0.update(SettingsUpdate(title: "list 2")) }
        try change(&list, at: 7) { try $0.createSection("s2", title: "") }
        #expect(times(list, "a") == [1, 5, nil])
        #expect(times(list, "a1") == [1, 2, nil])
        #expect(times(list, "b") == [1, 1, nil])
        #expect(times(list, "c") == [1, 3, nil])
        #expect(times(list, "d") == [1, 1, nil])
        #expect(list.times == ListTimes(createdAt: 1, updatedAt: 7))
    }

    @Test func whatChangesNothingUpdatesNothing() throws {
        var list = try Self.list("a b")
        let before = list
        list.changeStamp = ChangeStamp(time: 2)
        _ = try list.move("a", .before("b"))
        _ = try list.update("a", TaskUpdate(title: "a", done: false))
        _ = try list.collapse("a", false)
        #expect(list == before)
    }

    @Test func aRefusedChangeUpdatesNothing() throws {
        var list = try Self.list("a! b")
        let before = list
        list.changeStamp = ChangeStamp(time: 2)
        #expect(throws: Refusal.locked) { try list.move("a", .after("b")) }
        #expect(throws: Refusal.idTaken("b")) { try list.create("b") }
        #expect(list == before)
    }

    @Test func completedAtIsTheTimeAtWhichATaskBecameDone() throws {
        var list = try Self.list("a")
        try change(&list, at: 2) { try $0.update("a", TaskUpdate(done: true)) }
        #expect(times(list, "a") == [1, 2, 2])
        try change(&list, at: 3) { try $0.update("a", TaskUpdate(title: "x", done: true)) }
        #expect(times(list, "a") == [1, 3, 2])
        try change(&list, at: 4) { try $0.update("a", TaskUpdate(done: false)) }
        #expect(times(list, "a") == [1, 4, nil])
        try change(&list, at: 5) { try $0.update("a", TaskUpdate(done: true)) }
        #expect(times(list, "a") == [1, 5, 5])
    }

    @Test func aMoveThatCollapsesReturnsTheNewTime() throws {
        var list = try ReorderableList("a(a1) b", collapseSubElements: true)
        list.changeStamp = ChangeStamp(time: 2)
        let outcome = try list.move("a", .after("b"))
        #expect(outcome.tasks[0].task.content.stamps.updatedAt == 2)
        #expect(outcome.tasks[0].task == list.task("a"))
    }

    @Test func longerTextsKeepTheTimes() throws {
        var list = try Self.list("a b")
        try change(&list, at: 2) { try $0.update("a", TaskUpdate(done: true)) }
        let text = String(repeating: "x", count: 4_000)
        for time in Int64(3)..<40 {
            try change(&list, at: time) { list in
                let update = TaskUpdate(title: "\(text)\(time)", data: .set(text))
                return try list.update(time % 2 == 0 ? "a" : "b", update)
            }
        }
        #expect(times(list, "a") == [1, 38, 2])
        #expect(times(list, "b") == [1, 39, nil])
    }

    // MARK: Undo

    /// Makes a change at time 3, and undoes it at time 4.
    private func undo(
        _ list: inout ReorderableList, isLast: Bool,
        _ body: (inout ReorderableList) throws -> [ListOperation]
    ) throws {
        var before = list
        before.changeStamp = ChangeStamp(time: 3)
        list.changeStamp = ChangeStamp(time: 3)
        let plan = try UndoPlan(try body(&list), before: before)
        try change(&list, at: 4) { try $0.undo(plan, isLast: isLast).operations }
    }

    @Test(arguments: [true, false])
    func anUndoRestoresDeletedTasksWithTheirTimes(isLast: Bool) throws {
        var list = try Self.list("a(a1) b")
        try change(&list, at: 2) { try $0.update("a1", TaskUpdate(done: true)) }
        let before = list
        try undo(&list, isLast: isLast) { try $0.delete("a").operations }
        #expect(times(list, "a") == [1, 1, nil])
        #expect(times(list, "a1") == [1, 2, 2])
        #expect(list.times == ListTimes(createdAt: 1, updatedAt: 4))
        #expect(list.tasks.elementsEqual(before.tasks))
    }

    @Test(arguments: [true, false])
    func anUndoIsAChangeOfTheTasksThatItNames(isLast: Bool) throws {
        var list = try Self.list("a b")
        try change(&list, at: 2) { try $0.update("a", TaskUpdate(done: true)) }
        try undo(&list, isLast: isLast) { list in
            try list.update("a", TaskUpdate(done: false)) + list.move("b", .before("a")).operations
        }
        #expect(times(list, "a") == [1, 4, 2])
        #expect(times(list, "b") == [1, 4, nil])
    }

    // MARK: Moves to another list, and documents

    @Test func aMoveToAnotherListKeepsTheTimesAndUpdatesTheMovedTask() throws {
        var list = try Self.list("a(a1) b")
        try change(&list, at: 2) { try $0.update("a1", TaskUpdate(done: true)) }
        var other = try Self.list("x")
        var copy = other
        (list.changeStamp, other.changeStamp) = (ChangeStamp(time: 3), ChangeStamp(time: 3))
        let outcome = try list.transfer(
            MoveRequest(.task("a"), to: .after("x")), to: &other)
        copy.changeStamp = ChangeStamp(time: 3)
        try copy.apply(outcome.arrival)
        #expect(copy == other)
        #expect(times(other, "a") == [1, 3, nil])
        #expect(times(other, "a1") == [1, 2, 2])
        #expect(times(other, "x") == [1, 1, nil])
        #expect(list.times == ListTimes(createdAt: 1, updatedAt: 3))
        #expect(other.times == ListTimes(createdAt: 1, updatedAt: 3))
    }

    private static func document(
        _ tasks: [ReorderableList.Entry], _ times: ListTimes = ListTimes()
    ) throws -> ReorderableList {
        var list = try ReorderableList(
            settings: ListSettings(title: "list"), sections: [("s1", "s1")], tasks: tasks)
        list.times = times
        return list
    }

    @Test func aNewListHasTheTimesOfItsDocument() throws {
        let given = TaskStamps(createdAt: 2, updatedAt: 3, completedAt: 4)
        var list = try Self.document(
            [
                .init(content: TaskContent(id: "a", title: "", done: true, stamps: given)),
                .init(content: TaskContent(id: "b", title: "", stamps: given)),
                .init(content: TaskContent(id: "c", title: "", done: true)),
            ], ListTimes(createdAt: 1, updatedAt: 8))
        list.completeStamps(replacing: nil, ChangeStamp(time: 9))
        #expect(times(list, "a") == [2, 3, 4])
        #expect(times(list, "b") == [2, 3, nil])
        #expect(times(list, "c") == [9, 9, 9])
        #expect(list.times == ListTimes(createdAt: 1, updatedAt: 8))
        #expect(list.checkInvariants() == nil)
    }

    @Test func aReplacementKeepsTheTimesThatItsDocumentLacks() throws {
        func entry(
            _ id: TaskID, _ title: String = "", done: Bool = false, in section: SectionID? = nil,
            stamps: TaskStamps = TaskStamps()
        ) -> ReorderableList.Entry {
            .init(
                content: TaskContent(id: id, title: title, done: done, stamps: stamps),
                section: section)
        }
        let all = TaskStamps(createdAt: 2, updatedAt: 2, completedAt: 2)
        var former = try Self.document([
            entry("same", done: true), entry("renamed", done: true), entry("moved"),
            entry("done"), entry("undone", done: true), entry("given"),
        ])
        former.completeStamps(replacing: nil, ChangeStamp(time: 1))
        var list = try Self.document([
            entry("given", done: true, stamps: all), entry("same", done: true),
            entry("renamed", "new", done: true), entry("done", done: true), entry("undone"),
            entry("new"), entry("moved", in: "s1"),
        ])
        list.completeStamps(replacing: former, ChangeStamp(time: 9))
        #expect(times(list, "same") == [1, 1, 1])
        #expect(times(list, "renamed") == [1, 9, 1])
        #expect(times(list, "moved") == [1, 9, nil])
        #expect(times(list, "done") == [1, 9, 9])
        #expect(times(list, "undone") == [1, 9, nil])
        #expect(times(list, "new") == [9, 9, nil])
        // The server sets updatedAt of a task that it has.
        #expect(times(list, "given") == [2, 9, 2])
        #expect(list.times == ListTimes(createdAt: 1, updatedAt: 1))
    }

    @Test func aListWithoutTimesStaysEqualToItsDocument() throws {
        let stored = try ReorderableList("a(a1) b #s1 c")
        var list = stored
        list.completeStamps(replacing: stored, ChangeStamp(time: 9))
        #expect(list == stored)
        #expect(times(list, "a") == [nil, nil, nil])
    }

    @Test func anUnknownTimeFitsAnyTimeOnlyInAStoredList() throws {
        let old = try ReorderableList("a b")
        let list = try Self.list("a b")
        #expect(old != list)
        #expect(list.isEqual(toStored: old))
        var later = try ReorderableList("a b")
        later.completeStamps(replacing: nil, ChangeStamp(time: 2))
        #expect(!list.isEqual(toStored: later))
        #expect(try !list.isEqual(toStored: ReorderableList("a c")))
    }

    // MARK: Without a time

    @Test func withoutATimeTimesStayAsTheyAre() throws {
        var list = try Self.list("a b")
        list.changeStamp = nil
        _ = try list.move("a", .after("b"))
        _ = try list.update("b", TaskUpdate(done: true))
        _ = try list.create("x")
        #expect(times(list, "a") == [1, 1, nil])
        #expect(times(list, "b") == [1, 1, nil])
        #expect(times(list, "x") == [nil, nil, nil])
        #expect(list.times == ListTimes(createdAt: 1, updatedAt: 1))
    }
}
