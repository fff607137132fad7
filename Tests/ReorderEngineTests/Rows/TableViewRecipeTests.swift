import Foundation
import RandomRuns
import ReorderEngine
import SmallLists
import Testing

/// The recipes of the article EngineTableViews, in every small list.
@Suite struct TableViewRecipeTests {
    private static let share =
        EveryDropTests.isComplete ? 1 : EveryDropTests.share(percent: 30)

    @Test func theArticleHasTheRecipes() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let article = try String(
            contentsOf: folder.appending(
                path: "../../../Sources/ReorderEngine/ReorderEngine.docc/EngineTableViews.md"),
            encoding: .utf8)
        let code = try String(
            contentsOf: folder.appending(path: "TableViewRecipes.swift"), encoding: .utf8)
        let recipes = code.split(separator: "// Recipe: ").dropFirst().compactMap {
            $0.split(separator: "// End of the recipe").first
        }
        #expect(recipes.count == 3)
        for recipe in recipes {
            let lines = recipe.split(separator: "\n", omittingEmptySubsequences: false)
                .dropFirst().dropLast()
            let indentation = lines.first?.prefix { $0 == " " }.count ?? 0
            let text = lines.map { String($0.dropFirst(indentation)) }.joined(separator: "\n")
            #expect(article.contains("\n\(text)\n"), "\(text)")
        }
    }

    /// UIKit moves one cell, and passes the index paths before and after.
    @Test func theTableViewShowsTheRowAtTheIndexPathOfTheDrop() throws {
        var count = 0
        for small in SmallLists(share: Self.share, seed: RandomRun.seed) {
            let list = try small.makeList()
            let sections = (0...small.sections).map { section in
                small.visible.filter { small.rows[$0].section == section }
                    .map { small.rows[$0].id }
            }
            for (from, tasks) in sections.enumerated() {
                for (row, task) in tasks.enumerated() {
                    var cells = sections
                    cells[from].remove(at: row)
                    for to in sections.indices {
                        for newRow in 0...cells[to].count {
                            count += 1
                            var moved = cells
                            moved[to].insert(task, at: newRow)
                            try drop(
                                task, of: small, list, IndexPath(row: row, section: from),
                                IndexPath(row: newRow, section: to), shownAs: moved)
                        }
                    }
                }
            }
        }
        print("Drops in table views: \(count)")
        #expect(count > 0)
    }

    private func drop(
        _ task: TaskID, of small: SmallList, _ list: ReorderableList, _ source: IndexPath,
        _ destination: IndexPath, shownAs cells: [[TaskID]]
    ) throws {
        // The subtasks follow their parent: they are not counted at their old place.
        let subtree = small.subtree(of: small.index(of: task)).map { small.rows[$0].id }
        let staying = cells.joined().filter { $0 == task || !subtree.contains($0) }
        let row = try #require(staying.firstIndex(of: task))
        let drop = SmallDrop(tasks: [task], section: destination.section, row: row)
        let table = UITableView()
        let controller = ListController(list: list)
        let comment: Comment = "\(small.outline): \(source) to \(destination)"
        #expect(controller.task(at: source)?.id == task, comment)
        let target = controller.tableView(
            table, targetIndexPathForMoveFromRowAt: source, toProposedIndexPath: destination)
        controller.tableView(table, moveRowAt: source, to: destination)
        do {
            let expected = try small.after(drop)
            #expect(expected.matches(controller.list), comment)
            #expect(target == destination && controller.sent.count == 1, comment)
            guard subtree.count == 1 else { return }
            // The table view shows the list already.
            for (section, tasks) in cells.enumerated() {
                for (row, task) in tasks.enumerated() {
                    let path = IndexPath(row: row, section: section)
                    #expect(controller.task(at: path)?.id == task, comment)
                }
                let count = controller.tableView(table, numberOfRowsInSection: section)
                #expect(count == tasks.count, comment)
            }
        } catch {
            #expect(small.matches(controller.list), comment)
            #expect(target == source && table.reloadCount == 1, comment)
        }
    }

    /// SwiftUI passes the rows and the offset of `Array.move(fromOffsets:toOffset:)`.
    @Test func onMovePutsTheRowsWhereTheyWereDropped() throws {
        var count = 0
        for small in SmallLists(share: Self.share, seed: RandomRun.seed &+ 1) {
            let list = try small.makeList()
            let visible = small.visible
            for subject in small.subjects {
                let rows = subject.compactMap { visible.firstIndex(of: small.index(of: $0)) }
                guard rows.count == subject.count else { continue }
                let roots = small.roots(of: subject)
                for offset in 0...visible.count {
                    count += 1
                    let row = small.row(ofOffset: offset, dropping: roots)
                    let section = small.section(ofRow: row, dropping: roots)
                    var view = Rows(list: list)
                    try? view.move(IndexSet(rows), to: offset)
                    let drop = SmallDrop(tasks: roots, section: section, row: row)
                    let expected = (try? small.after(drop)) ?? small
                    #expect(expected.matches(view.list), "\(small.outline): \(rows) to \(offset)")
                }
                let section = small.rows[small.index(of: subject[0])].section
                let own = visible.filter { small.rows[$0].section == section }
                let start = visible.count { small.rows[$0].section < section }
                guard rows.allSatisfy({ own.contains(visible[$0]) }) else { continue }
                for offset in 0...own.count {
                    count += 1
                    let row = small.row(ofOffset: start + offset, dropping: roots)
                    var view = Rows(list: list)
                    try? view.move(
                        IndexSet(rows.map { $0 - start }), to: offset, in: SmallList.id(of: section)
                    )
                    let drop = SmallDrop(tasks: roots, section: section, row: row)
                    let expected = (try? small.after(drop)) ?? small
                    #expect(expected.matches(view.list), "\(small.outline): \(rows) to \(offset)")
                }
            }
        }
        print("Drops by onMove: \(count)")
        #expect(count > 0)
    }
}
