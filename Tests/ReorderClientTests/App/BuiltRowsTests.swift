import Foundation
import ReorderEngine
import ReorderJSON
import Testing

@testable import ReorderClient

/// Changes of so many rows that another thread builds them.
@MainActor @Suite struct BuiltRowsTests {
    /// A list with 5,000 rows: 10 tasks with 499 subtasks each.
    private func withList(_ body: (LiveList) async throws -> Void) async throws {
        let lines = (0..<10).flatMap { task in
            ["- t\(task)"] + (1..<500).map { "  - t\(task)-\($0)" }
        }
        let store = ReorderStore.inMemory(["l": lines.joined(separator: "\n")])
        try await body(store.list("l"))
    }

    private func shows(_ list: LiveList) -> Bool {
        list.building == nil
            && list.sections == LiveList.Section.all(of: list.snapshot, RowMarks())
    }

    @Test func manyRowsAreDisplayedInTheEnd() async throws {
        try await withList { list in
            #expect(list.rows.count == 5_000 && shows(list))
            let tasks = (0..<5).map { "t\($0)" }
            #expect(list.delete(tasks))
            // The newest state decides, also if it is not displayed yet.
            #expect(!list.delete(tasks) && list.rename("t9", to: "x") && list.notice == nil)
            try await eventually { list.building == nil }
            #expect(list.rows.count == 2_500 && list.row("t9")?.title == "x" && shows(list))
            #expect(list.undo() && list.undo())
            try await eventually { list.building == nil }
            #expect(list.rows.count == 5_000 && list.row("t9")?.title == "t9" && shows(list))
        }
    }

    @Test func anEndedListStaysEmpty() async throws {
        try await withList { list in
            #expect(list.delete((0..<5).map { "t\($0)" }))
            let building = try #require(list.building)
            list.end()
            await building.value
            #expect(list.sections.isEmpty && list.phase == .signedOut && !list.isLoaded)
        }
    }

    @Test func aCancelledSearchFindsNothing() async throws {
        try await withList { list in
            #expect(await list.rows(matching: "T3-7").first?.id == "t3-7")
            let search = Task { await list.rows(matching: "t") }
            search.cancel()
            #expect(await search.value.isEmpty)
        }
    }
}

/// The tasks that wait to be sent.
@Suite struct WaitingTasksTests {
    private func operation(_ id: String, _ tasks: [TaskID]) -> PendingOperation {
        PendingOperation(
            id: id, command: .move(MoveRequest(.tasks(tasks), to: Destination())))
    }

    @Test func theyFollowTheQueue() {
        var queue: [PendingOperation] = []
        var waiting = WaitingTasks()
        func changed() -> [TaskID] {
            waiting.follow(queue[...]).compactMap { operation in
                if case .update(let task, _) = operation { task } else { nil }
            }.sorted()
        }
        queue.append(operation("1", ["a", "b"]))
        #expect(changed() == ["a", "b"])
        queue.append(operation("2", ["b", "c"]))
        #expect(changed() == ["c"])
        #expect(changed().isEmpty)
        queue.removeFirst()
        #expect(changed() == ["a"] && waiting.tasks == ["b", "c"])
        // An answer is taken back, as after a restored backup.
        queue.insert(operation("1", ["a", "b"]), at: 0)
        #expect(changed() == ["a"])
        queue.remove(at: 1)
        #expect(changed() == ["c"])
        queue += [operation("4", ["d"]), operation("5", ["b"]), operation("6", ["e"])]
        #expect(changed() == ["d", "e"])
        // At both ends; then in the middle.
        queue = Array(queue.dropFirst(2)) + [operation("7", ["d"]), operation("8", ["a"])]
        #expect(changed().isEmpty && waiting.tasks == ["a", "b", "d", "e"])
        queue.remove(at: 1)
        #expect(changed() == ["e"] && waiting.tasks == ["a", "b", "d"])
        queue = []
        #expect(changed() == ["a", "b", "d"] && waiting.tasks.isEmpty)
        queue.append(operation("3", ["a"]))
        #expect(changed() == ["a"])
    }
}
