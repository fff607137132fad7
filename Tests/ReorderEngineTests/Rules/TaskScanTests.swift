import ReorderEngine
import Testing

@Suite struct TaskScanTests {
    private let list: ReorderableList

    init() throws {
        list = try ReorderableList("a(a1(a2) a3) b #s c+(c1(c2)) d #t #u e")
    }

    private func ids(_ scope: TaskScope, after task: TaskID? = nil) throws -> [TaskID] {
        var scan = try #require(TaskScan(list, scope))
        if let task {
            let isFound = scan.skip(to: task)
            #expect(isFound)
        }
        var ids: [TaskID] = []
        while scan.advance() {
            if let task = scan.task {
                #expect(task.id == scan.id && task == list.task(task.id))
                ids.append(scan.id)
            }
        }
        return ids
    }

    @Test func aScopeSelectsTasksInTheOrderOfTheList() throws {
        #expect(try ids(TaskScope()) == list.tasks.map(\.id))
        #expect(
            try ids(TaskScope(isVisibleOnly: true))
                == list.tasks(fromRow: 0, limit: .max).map(\.id))
        #expect(try ids(TaskScope(isTopOnly: true)) == ["a", "b", "c", "d", "e"])
        #expect(try ids(TaskScope(.section("s"))) == ["c", "c1", "c2", "d"])
        #expect(try ids(TaskScope(.section("s"), isTopOnly: true)) == ["c", "d"])
        #expect(try ids(TaskScope(.section("s"), isVisibleOnly: true)) == ["c", "d"])
        #expect(try ids(TaskScope(.section(nil))) == ["a", "a1", "a2", "a3", "b"])
        #expect(try ids(TaskScope(.section("t"))) == [])
        #expect(try ids(TaskScope(.subtasks(of: "a"))) == ["a1", "a2", "a3"])
        #expect(try ids(TaskScope(.subtasks(of: "a"), isTopOnly: true)) == ["a1", "a3"])
        #expect(try ids(TaskScope(.subtasks(of: "c"), isVisibleOnly: true)) == [])
        #expect(try ids(TaskScope(.subtasks(of: "b"))) == [])
        #expect(TaskScan(list, TaskScope(.section("none"))) == nil)
        #expect(TaskScan(list, TaskScope(.subtasks(of: "none"))) == nil)
    }

    @Test func aScanContinuesAfterEachTaskOfItsScope() throws {
        let places: [TaskScope.Root] = [.list, .section("s"), .section(nil), .subtasks(of: "a")]
        for place in places {
            for (isTopOnly, isVisibleOnly) in [(false, false), (true, false), (false, true)] {
                let scope = TaskScope(
                    place, isTopOnly: isTopOnly, isVisibleOnly: isVisibleOnly)
                let all = try ids(scope)
                for (index, id) in all.enumerated() {
                    #expect(try ids(scope, after: id) == Array(all[(index + 1)...]))
                }
            }
        }
        // A task that was hidden since.
        #expect(try ids(TaskScope(isVisibleOnly: true), after: "c1") == ["d", "e"])
    }

    @Test func aScanDoesNotGoToTasksOutsideOfItsScope() throws {
        let cases: [(TaskScope, TaskID)] = [
            (TaskScope(), "none"), (TaskScope(isTopOnly: true), "a1"),
            (TaskScope(.section("s")), "a"), (TaskScope(.section(nil)), "c1"),
            (TaskScope(.subtasks(of: "a")), "a"), (TaskScope(.subtasks(of: "a")), "b"),
            (TaskScope(.subtasks(of: "a"), isTopOnly: true), "a2"),
        ]
        for (scope, task) in cases {
            var scan = try #require(TaskScan(list, scope))
            let isFound = scan.skip(to: task)
            #expect(!isFound, "\(scope) \(task)")
        }
    }

    @Test func ancestorsBeginWithTheParent() {
        #expect(list.ancestors(of: "c2")?.tasks == ["c1", "c"])
        #expect(list.ancestors(of: "c2")?.section == "s")
        #expect(list.ancestors(of: "a")?.tasks == [])
        #expect(list.ancestors(of: "a")?.section == nil)
        #expect(list.ancestors(of: "none") == nil)
    }
}
