import Foundation
import ReorderEngine
import Testing

@testable import ReorderClient

/// Each function of a list, without a server.
@MainActor @Suite struct MemoryListTests {
    private let store = ReorderStore.inMemory([
        "groceries": """
        # Groceries
        - Milk
        - Fruit
          - Apples
          - Pears
        ## Bakery
        - [x] Bread
        - Rolls
        """,
        "other": "- Milk 2",
    ])

    private var list: LiveList { store.list("groceries") }

    /// Each row as in the outline, sections in brackets.
    private func shown(_ list: LiveList) -> String {
        list.sections.map { section in
            (section.title.isEmpty ? [] : ["[\(section.title)]"])
                + section.rows.map { String(repeating: "-", count: $0.level) + $0.title }
        }.joined().joined(separator: " ")
    }

    @Test func aListIsThereAtOnce() {
        let list = list
        #expect(list.title == "Groceries" && list.isLoaded && list.phase == .online)
        #expect(shown(list) == "Milk Fruit -Apples -Pears [Bakery] Bread Rolls")
        #expect(list.sections.map(\.id) == [nil, "Bakery"])
        #expect(list.rows.filter(\.isCompleted).map(\.id) == ["Bread"])
        #expect(list.row("Fruit")?.subtaskCount == 2)
        #expect(list.row("Apples")?.parent == "Fruit" && list.row("Bread")?.section == "Bakery")
        #expect(store.list("groceries") === list)
        #expect(list.waitingCount == 0 && !list.rows.contains(where: \.isWaiting))
    }

    @Test func theIndexHasTheLists() async {
        #expect(store.lists.map(\.listID) == ["groceries", "other"])
        #expect(store.lists.map(\.title) == ["Groceries", "other"])
        #expect(store.index.phase == .online)
        #expect(store.index.move([0], to: 2, in: store.index.sections[0]))
        #expect(store.lists.map(\.listID) == ["other", "groceries"])
        let error = await #expect(throws: ClientError.self) {
            try await self.store.createList("New")
        }
        #expect(error == .unreachable)
    }

    @Test func aListThatDoesNotExistIsAPhase() {
        let list = store.list("unknown")
        #expect(list.phase == .notFound && list.sections == [] && !list.isLoaded)
        #expect(!list.delete(["x"]) && list.create("Milk") == nil)
        #expect(list.notice != nil)
        let malformed: LiveList.Phase = store.list("no id").phase
        guard case .failed(.invalid) = malformed else {
            Issue.record("\(malformed)")
            return
        }
    }

    @Test func contentSurvivesTheObjects() {
        #expect(list.move(["Milk"], to: .end(of: "Bakery")))
        #expect(shown(store.list("groceries")) == "Fruit -Apples -Pears [Bakery] Bread Rolls Milk")
    }

    @Test func rowsMoveByOffsets() {
        let list = list
        #expect(list.move([0], to: 4, in: list.sections[0]))
        #expect(shown(list) == "Fruit -Apples -Pears Milk [Bakery] Bread Rolls")
        // To its own place.
        #expect(!list.move([3], to: 4, in: list.sections[0]))
        #expect(list.notice == nil)
        #expect(list.move([1], to: 0, in: list.sections[1]))
        #expect(list.move([0, 1], to: 2, in: list.sections[1]) == false)
        #expect(list.undo() && shown(list) == "Fruit -Apples -Pears Milk [Bakery] Bread Rolls")
        // By the rows that an older view shows.
        let old = list.sections[0]
        #expect(list.delete(["Fruit"]))
        #expect(list.move([3], to: 0, in: old) == false)
        #expect(list.create("Eggs", at: .end(of: nil)) != nil)
        #expect(list.move([3], to: 0, in: old) == false)
        #expect(shown(list) == "Milk Eggs [Bakery] Bread Rolls")
    }

    @Test func rowsMoveToOtherPlaces() throws {
        let list = list
        #expect(list.move(["Pears"], toRow: 1, in: "Bakery"))
        #expect(shown(list) == "Milk Fruit -Apples [Bakery] Bread -Pears Rolls")
        #expect(list.move(["Pears"], toRow: 1, in: "Bakery", level: 0))
        #expect(shown(list) == "Milk Fruit -Apples [Bakery] Bread Pears Rolls")
        let layout = try #require(list.layout(moving: ["Apples"]))
        let gap = RowLayout.Gap(section: nil, row: 1)
        #expect(layout.levels(at: gap) == 0...1)
        #expect(list.move(["Apples"], to: gap, level: 1))
        #expect(shown(list) == "Milk -Apples Fruit [Bakery] Bread Pears Rolls")
        #expect(list.move(["Bread", "Rolls"], onto: "Fruit"))
        #expect(shown(list) == "Milk -Apples Fruit -Bread -Rolls [Bakery] Pears")
        #expect(list.move(["Bread"], to: .before("Milk")))
        #expect(list.move(["Rolls"], to: .after("Milk")))
        #expect(list.move(["Fruit"], to: .start(of: "Bakery")))
        #expect(shown(list) == "Bread Milk -Apples Rolls [Bakery] Fruit Pears")
        #expect(list.layout(moving: ["unknown"]) == nil)
        #expect(list.move(["Bread", "Rolls"], beforeRow: "Pears", in: "Bakery"))
        #expect(list.move(["Milk"], beforeRow: nil, in: "Bakery"))
        #expect(shown(list) == "[Bakery] Fruit Bread Rolls Pears Milk -Apples")
    }

    @Test func tasksMoveToOtherLists() async throws {
        let (list, other) = (list, store.list("other"))
        #expect(await list.move(["Fruit", "Apples"], toList: "other", at: .before("Milk 2")))
        try await eventually { shown(other) == "Fruit -Apples -Pears Milk 2" }
        try await eventually { shown(list) == "Milk [Bakery] Bread Rolls" }
        #expect(await !list.move(["Milk"], toList: "unknown"))
        #expect(list.notice?.message != nil)
        list.dismissNotice()
        #expect(list.undo())
        try await eventually { list.canRedo }
        try await eventually { shown(list) == "Milk Fruit -Apples -Pears [Bakery] Bread Rolls" }
        #expect(list.redo())
        try await eventually { list.canUndo }
        try await eventually { shown(other) == "Fruit -Apples -Pears Milk 2" }
    }

    private struct Amount: Codable, Equatable {
        var amount: Int
        var unit: String?
    }

    @Test func tasksAreEdited() throws {
        let list = list
        let eggs = try #require(list.create("Eggs", data: Amount(amount: 6), at: .after("Milk")))
        #expect(list.row(eggs)?.data(as: Amount.self) == Amount(amount: 6))
        #expect(list.row(eggs)?.data(as: [String].self) == nil)
        #expect(list.setData(eggs, Amount(amount: 12, unit: "piece")))
        #expect(list.rows[1].data(as: Amount.self) == Amount(amount: 12, unit: "piece"))
        #expect(list.rename(eggs, to: "Brown eggs") && list.rows[1].title == "Brown eggs")
        #expect(list.setCompleted(eggs) && list.rows[1].isCompleted)
        #expect(!list.setCompleted(eggs))
        #expect(list.setLocked(eggs) && list.rows[1].isLocked)
        #expect(!list.delete([eggs]))
        #expect(list.notice?.message == "The row is locked." && list.notice?.tasks == [eggs])
        #expect(!list.move([eggs], to: .end(of: nil)) && !list.delete(["Milk", eggs]))
        #expect(
            list.notice?.message == "3 changes could not be made. The row is locked.")
        list.dismissNotice()
        #expect(list.notice == nil && list.row("Milk") != nil)
        #expect(list.rename(to: "Shopping") && list.title == "Shopping")
        #expect(list.update(SettingsUpdate(elementsOffset: 1)) && list.rows[0].isLocked)
        #expect(list.create(String(repeating: "x", count: 5_000)) == nil)
        #expect(list.notice?.message.contains("4096 bytes") == true)
    }

    @Test func rowsAreDeleted() {
        let list = list
        #expect(list.delete([1, 2], in: list.sections[0]))
        #expect(shown(list) == "Milk [Bakery] Bread Rolls")
        // The empty section stays, but nothing without a section has no header.
        #expect(list.delete(["Milk", "Bread", "Rolls", "unknown"]))
        #expect(shown(list) == "[Bakery]" && list.sections.count == 1)
        #expect(!list.delete(["Milk"]) && list.notice == nil)
    }

    @Test func subtasksAreFolded() async {
        let list = list
        #expect(list.toggleCollapsed("Fruit") && list.rows[1].isCollapsed)
        #expect(shown(list) == "Milk Fruit [Bakery] Bread Rolls")
        #expect(!list.setCollapsed("Fruit", true) && !list.canUndo)
        #expect(await list.rows(matching: "PEÁRS").map(\.id) == ["Pears"])
        #expect(await list.rows(matching: "").isEmpty)
        #expect(list.toggleCollapsed("Fruit"))
        #expect(shown(list) == "Milk Fruit -Apples -Pears [Bakery] Bread Rolls")
    }

    @Test func sectionsAreEdited() throws {
        let list = list
        let id = try #require(list.createSection("Cheese", at: 0))
        #expect(shown(list) == "Milk Fruit -Apples -Pears [Cheese] [Bakery] Bread Rolls")
        #expect(list.move([0], to: 0, in: list.sections[2]) == false)
        #expect(list.move(["Milk"], toRow: 0, in: id))
        #expect(list.renameSection(id, to: "Dairy") && list.moveSection(id, to: 1))
        #expect(shown(list) == "Fruit -Apples -Pears [Bakery] Bread Rolls [Dairy] Milk")
        #expect(list.deleteSection("Bakery", tasks: .delete))
        #expect(list.deleteSection(id))
        #expect(shown(list) == "Fruit -Apples -Pears Milk")
    }

    @Test func anUndoPutsBackIntoAnOverfullSection() throws {
        let list = list
        #expect(list.update(SettingsUpdate(maxTasksPerSection: .set(1))))
        #expect(list.move(["Bread"], to: .end(of: nil)) && list.delete(["Rolls"]))
        #expect(list.undo() && list.undo())
        #expect(shown(list) == "Milk Fruit -Apples -Pears [Bakery] Bread Rolls")
        #expect(list.notice == nil)
        #expect(!list.move(["Milk"], to: .end(of: "Bakery")))
        #expect(list.limitSection("Bakery", to: 3) && list.move(["Milk"], to: .end(of: "Bakery")))
        #expect(!list.limitSection("Bakery", to: 0))
        #expect(!list.move(["Fruit"], to: .end(of: "Bakery")))
        #expect(list.limitSection("Bakery", to: nil) && list.undo() && list.redo())
    }

    @Test func stepsAreUndoneAndRedone() throws {
        let list = list
        let start = shown(list)
        var states = [start]
        #expect(!list.canUndo && !list.undo() && !list.redo())
        let eggs = try #require(list.create("Eggs", data: Amount(amount: 6), at: .inside("Fruit")))
        states.append(shown(list))
        for step in [
            { list.move(["Fruit"], to: .end(of: "Bakery")) },
            { list.rename(eggs, to: "Brown eggs") },
            { list.setData(eggs, Amount(amount: 12, unit: "piece")) },
            { list.deleteSection("Bakery", tasks: .keep) },
            { list.delete(["Fruit", "Milk"]) },
            { list.createSection("New") != nil },
        ] {
            #expect(step())
            states.append(shown(list))
        }
        let end = states.last
        for state in states.dropLast().reversed() {
            #expect(list.undo())
            #expect(shown(list) == state)
        }
        #expect(!list.canUndo && list.canRedo && !list.undo())
        for state in states.dropFirst() {
            #expect(list.redo())
            #expect(shown(list) == state)
        }
        #expect(shown(list) == end && !list.canRedo)
        #expect(list.undo() && list.canRedo)
        // A new step.
        #expect(list.create("Tea") != nil && !list.canRedo && !list.redo())
    }

    @Test func theFormerDataComesBack() throws {
        let list = list
        let eggs = try #require(
            list.create("Eggs", data: ["color": "brown", "size": "L"], at: .end(of: nil)))
        #expect(list.setData(eggs, ["size": "M", "brand": "none"]))
        #expect(list.undo())
        #expect(list.row(eggs)?.data(as: [String: String].self) == ["color": "brown", "size": "L"])
    }

    @Test func signingOutEmptiesTheLists() throws {
        let list = list
        try store.signOut()
        #expect(list.phase == .signedOut && list.sections.isEmpty && store.isSignedOut)
        #expect(store.list("groceries").phase == .signedOut)
    }
}
