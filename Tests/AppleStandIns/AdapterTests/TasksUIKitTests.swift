import ReorderEngine
import Testing
import UIKit

@testable import ReorderClient
@testable import TasksUIKit

/// The example with a table view, used as a person would.
@MainActor @Suite struct TasksUIKitTests {
    private let store: ReorderStore
    private let list: LiveList
    private let controller: TasksController

    init() {
        store = AppDelegate().store
        list = store.list("tasks")
        controller = TasksController(list: list)
        controller.loadViewIfNeeded()
    }

    private var table: UITableView { controller.tableView }

    private var rows: [[TaskID]] { table.displayedIDs }

    private let all = [
        [
            "Read the manual", "Install", "Move house", "Pack", "Books", "Dishes", "Rent a van",
        ], ["Plant beans"], [],
    ]

    private func settle() async { for _ in 0..<10 { await Task.yield() } }

    /// Waits for what the observation of the list leads to.
    private func wait(for condition: () -> Bool) async throws {
        let start = ContinuousClock.now
        while !condition() {
            try #require(start.duration(to: .now) < .seconds(60))
            await Task.yield()
        }
    }

    private func press(_ path: IndexPath, x: CGFloat = 100) {
        move(to: path, x: x, .began)
    }

    private func move(
        to path: IndexPath, x: CGFloat = 100, _ state: UIGestureRecognizer.State = .changed
    ) {
        let y =
            path.row < table.numberOfRows(inSection: path.section)
            ? table.rectForRow(at: path).midY : table.rect(forSection: path.section).maxY - 1
        controller.longPress.recognizer.point = CGPoint(x: x, y: y)
        send(state)
    }

    private func send(_ state: UIGestureRecognizer.State) {
        controller.longPress.recognizer.state = state
        controller.longPress.handle(state)
    }

    private func path(_ row: Int, _ section: Int = 0) -> IndexPath {
        IndexPath(row: row, section: section)
    }

    @Test func theTableShowsTheListWithItsSectionsAlsoTheEmptyOne() {
        #expect(rows == all)
        #expect(controller.title == "Tasks")
        #expect(table.dataSource?.tableView(table, titleForHeaderInSection: 0) == nil)
        #expect(table.dataSource?.tableView(table, titleForHeaderInSection: 2) == "Later")
        #expect(table.cellForRow(at: path(4))?.indentationLevel == 2)
    }

    @Test func aLongPressFoldsSubtasksMovesTheBlankRowAndDrops() {
        press(path(2))
        #expect(
            rows == [["Read the manual", "Install", "Move house"], ["Plant beans"], []],
            "the subtasks fold")
        #expect(table.cellForRow(at: path(2))?.contentView.alpha == 0, "the row is blank")
        #expect(table.subviews.count == 1, "an image of the row floats")
        move(to: path(0, 1))
        #expect(rows == [["Read the manual", "Install"], ["Move house", "Plant beans"], []])
        send(.ended)
        #expect(
            rows == [
                ["Read the manual", "Install"],
                ["Move house", "Pack", "Books", "Dishes", "Rent a van", "Plant beans"], [],
            ], "the subtasks are displayed again")
        #expect(table.cellForRow(at: path(0, 1))?.contentView.alpha == 1)
        #expect(table.subviews.isEmpty)
        #expect(list.row("Move house")?.section == "Garden")
        #expect(controller.navigationItem.prompt == "Moved Move house.", "the update at the end")
    }

    @Test func aRowSnapsBackIfTheGestureIsCancelled() {
        press(path(2))
        move(to: path(0, 2))
        #expect(rows[2] == ["Move house"])
        #expect(table.cellForRow(at: path(0, 2))?.contentView.alpha == 0)
        send(.cancelled)
        #expect(rows == all)
        #expect(table.cellForRow(at: path(2))?.contentView.alpha == 1, "the row is not blank")
        #expect(list.row("Move house")?.section == nil)
        #expect(controller.navigationItem.prompt == nil)
    }

    @Test func theFirstRowsAreLocked() async {
        list.update(SettingsUpdate(elementsOffset: 2))
        await settle()
        press(path(0))
        #expect(rows == all && table.subviews.isEmpty, "a locked row can't be lifted")
        send(.ended)
        press(path(2))
        move(to: path(0))
        #expect(rows[0] == ["Read the manual", "Install", "Move house"], "no row lands above")
        send(.cancelled)
        controller.setEditing(true, animated: false)
        #expect(table.imitateReordering(from: path(1), to: path(4)) == nil)
        #expect(table.imitateReordering(from: path(0, 1), to: path(0)) == path(2))
        #expect(list.row("Plant beans")?.section == nil)
    }

    @Test func tasksMoveOnlyAmongBrothers() async {
        list.update(SettingsUpdate(moves: .siblings))
        await settle()
        press(path(3))
        move(to: path(0, 1))
        #expect(rows[0][3] == "Pack", "the blank row stays among the brothers")
        move(to: path(4))
        #expect(rows[0] == ["Read the manual", "Install", "Move house", "Rent a van", "Pack"])
        send(.ended)
        #expect(list.row("Pack")?.parent == "Move house")
        #expect(rows[0].suffix(4) == ["Rent a van", "Pack", "Books", "Dishes"])
    }

    @Test func aMovementToTheSideChangesTheLevel() {
        press(path(1))
        move(to: path(1), x: 130)
        send(.ended)
        #expect(list.row("Install")?.parent == "Read the manual")
    }

    @Test func editModeMovesARowIntoTheEmptySection() async {
        controller.setEditing(true, animated: false)
        #expect(table.imitateReordering(from: path(2), to: path(0, 2)) == path(0, 2))
        await settle()
        #expect(rows[2] == ["Move house", "Pack", "Books", "Dishes", "Rent a van"])
        #expect(rows[0] == ["Read the manual", "Install"])
        #expect(table.inconsistencies == 0)
    }

    @Test func aRefusedDropInEditModeReturnsTheRow() async {
        list.setLocked("Install")
        await settle()
        controller.setEditing(true, animated: false)
        #expect(table.imitateReordering(from: path(1), to: path(0)) == nil)
        list.update(SettingsUpdate(moves: .siblings))
        await settle()
        table.delegate = nil
        table.imitateReordering(from: path(4), to: path(0))
        await settle()
        #expect(rows == all)
    }

    @Test func selectedRowsAreDeletedTogether() async throws {
        controller.setEditing(true, animated: false)
        for row in [path(1), path(3), path(0, 1)] { table.selectRow(at: row, animated: false) }
        let trash = try #require(controller.navigationItem.rightBarButtonItems?.last)
        trash.imitateTap()
        try await wait { rows == [["Read the manual", "Move house", "Rent a van"], [], []] }
        list.undo()
        try await wait { rows == all }
        // All or none: one is locked.
        list.setLocked("Install")
        await settle()
        for row in [path(1), path(3)] { table.selectRow(at: row, animated: false) }
        trash.imitateTap()
        try await wait { controller.navigationItem.prompt?.isEmpty == false }
        #expect(rows == all)
    }

    @Test func changesOfOthersWaitUntilTheEndOfADrag() async throws {
        press(path(2))
        list.delete(["Install"])
        list.create("Buy paint", at: .start(of: "Garden"))
        await settle()
        #expect(rows[0] == ["Read the manual", "Install", "Move house"], "nothing moves")
        // Above the deleted row.
        move(to: path(1))
        send(.ended)
        #expect(rows[0].prefix(2) == ["Read the manual", "Move house"])
        #expect(rows[1].count == 2 && !rows[0].contains("Install"))
    }

    @Test func aTapFoldsAndTheAddButtonCreates() async throws {
        controller.tableView(table, didSelectRowAt: path(3))
        try await wait {
            rows[0] == ["Read the manual", "Install", "Move house", "Pack", "Rent a van"]
        }
        controller.navigationItem.leftBarButtonItems?.first?.imitateTap()
        try await wait { rows[2].count == 1 }
        #expect(list.rows.last?.title == "New task")
    }

    @Test func onlyChangedRowsGetTheirCellsAgain() async throws {
        func text(_ path: IndexPath) -> String? {
            let content = table.cellForRow(at: path)?.contentConfiguration
            return (content as? UIListContentConfiguration)?.text
        }
        let other = table.cellForRow(at: path(3))
        #expect(text(path(4)) == "Books")
        list.rename("Books", to: "Novels")
        list.setCompleted("Plant beans")
        try await wait { text(path(4)) == "Novels" }
        #expect(table.cellForRow(at: path(0, 1))?.accessoryType == .checkmark)
        #expect(table.cellForRow(at: path(3)) === other)
    }

    @Test func theAppStarts() throws {
        let app = AppDelegate()
        #expect(app.application(UIApplication.shared, didFinishLaunchingWithOptions: nil))
        let root = try #require(app.window?.rootViewController as? UINavigationController)
        let screen = try #require(root.viewControllers.first as? TasksController)
        #expect(screen.tableView.displayedIDs == all)
        #expect(app.store.list("tasks").row("Install")?.isLocked == true)
    }
}
