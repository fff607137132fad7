import Foundation
import RandomRuns
import ReorderEngine
import SmallLists
import Testing

@testable import ReorderClient

/// The drop in the article SharedTableViews, in small lists.
@Suite struct SharedTableRecipeTests {
    /// The share of the lists. `REORDERD_EVERY_DROP=1` takes all.
    private static let share =
        ProcessInfo.processInfo.environment["REORDERD_EVERY_DROP"] == nil ? 0.000_5 : 1

    @Test func theArticleHasTheRecipe() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let article = try String(
            contentsOf: folder.appending(
                path: "../../../Sources/ReorderClient/ReorderClient.docc/SharedTableViews.md"),
            encoding: .utf8)
        let code = try String(
            contentsOf: folder.appending(path: "SharedTableRecipe.swift"), encoding: .utf8)
        let recipe = try #require(
            code.split(separator: "// Recipe: ").last?.split(separator: "// End of the recipe")
                .first)
        let lines = recipe.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        let text = lines.dropLast().map { $0.dropFirst(4) }.joined(separator: "\n")
        #expect(!text.isEmpty && article.contains("\n\(text)\n"), "\(text)")
    }

    /// UIKit moves one cell; the delta then leads to the rows of the list.
    @Test func theDropAndItsDeltaLeadToTheRowsOfTheList() throws {
        var count = 0
        for small in SmallLists(share: Self.share, seed: RandomRun.seed) {
            let before = try small.makeList()
            let rows = small.visible.map { small.rows[$0].id }
            for (source, task) in rows.enumerated() {
                for destination in rows.indices where destination != source {
                    count += 1
                    var cells = rows
                    cells.insert(cells.remove(at: source), at: destination)
                    let list = LocalSharedList(before)
                    let table = UITableView()
                    let controller = ListController(list: list, shown: before)
                    controller.tableView(
                        table, moveRowAt: IndexPath(row: source, section: 0),
                        to: IndexPath(row: destination, section: 0))
                    let comment: Comment = "\(small.outline): \(source) to \(destination)"
                    let expected = small.dropping(task, among: cells) ?? small
                    #expect(expected.matches(list.list), comment)
                    if expected == small {
                        #expect(table.reloadCount == 1, comment)
                        continue
                    }
                    let delta = RowDelta(
                        from: before, movedAlready: controller.movedByTheTable, to: list.list)
                    let shown = delta.applied(to: cells) { list.list.task(atRow: $0)?.id ?? "" }
                    #expect(
                        shown == list.list.tasks(fromRow: 0, limit: .max).map(\.id), comment)
                    #expect(small.subtree(of: small.index(of: task)).count > 1 || shown == cells)
                }
            }
        }
        print("Drops in shared table views: \(count)")
        #expect(count > 0)
    }
}

/// A list on this device.
private final class LocalSharedList: SharedList {
    private(set) var list: ReorderableList

    init(_ list: ReorderableList) { self.list = list }

    func move(_ request: MoveRequest) throws(ClientError) -> Bool {
        do throws(Refusal) {
            return try list.move(request).changed
        } catch {
            throw .refused(error)
        }
    }
}

extension SmallList {
    /// The list after a table view without sections has moved one cell; nil if that is refused.
    fileprivate func dropping(_ task: TaskID, among cells: [TaskID]) -> SmallList? {
        let subtree = subtree(of: index(of: task)).map { rows[$0].id }
        let row = cells.filter { $0 == task || !subtree.contains($0) }.firstIndex(of: task) ?? -1
        let section = section(ofRow: row, dropping: [task])
        return try? after(SmallDrop(tasks: [task], section: section, row: row))
    }
}
