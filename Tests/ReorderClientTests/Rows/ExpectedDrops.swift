import ReorderEngine
import SmallLists

@testable import ReorderClient

/// The model's results of all drops of one row. Each is computed once: many drops have the same result.
@MainActor struct ExpectedDrops {
    /// A list after a drop.
    struct Result {
        let list: SmallList
        /// The displayed rows by section.
        let rows: [[TaskID]]
    }

    let task: TaskID
    let depth: Int
    /// The list without the task and its subtasks.
    let rest: SmallList
    /// The rows of `rest`, by the sections of the whole list.
    let restRows: [[TaskID]]
    /// The displayed rows without the row's subtasks.
    let foldedRows: [[TaskID]]
    /// The result if nothing changes.
    let unchanged: Result
    /// All index paths that the row can have, in order. Only the row itself is taken out.
    let places: [RowPath]
    /// The results at these index paths; nil if they are refused.
    let reordered: [Result?]
    /// The index of the row's own place.
    let own: Int
    /// Whether the row can't be moved, not even to its own place.
    var isLocked: Bool { reordered[own] == nil }
    private let shown: ShownSmallList
    private var results: [SmallDrop: Result?] = [:]

    init(of source: RowPath, in shown: ShownSmallList) {
        let (small, rows) = (shown.small, shown.rows)
        let task = rows[source.section][source.row]
        let index = small.index(of: task)
        let subtree = small.subtree(of: index).map { small.rows[$0].id }
        self.shown = shown
        self.task = task
        depth = small.rows[index].depth
        rest = small.without([task])
        restRows = shown.rows(of: rest)
        foldedRows = rows.map { $0.filter { $0 == task || !subtree.contains($0) } }
        unchanged = Result(list: small, rows: rows)
        var cells = rows
        cells[source.section].remove(at: source.row)
        places = cells.indices.flatMap { section in
            (0...cells[section].count).map { RowPath(row: $0, section: section) }
        }
        own = places.firstIndex(of: source) ?? 0
        reordered = places.map { path in
            var cells = cells
            cells[path.section].insert(task, at: path.row)
            // The subtasks follow their parent: they are not counted at their old place.
            let staying = cells.joined().filter { $0 == task || !subtree.contains($0) }
            var drop = SmallDrop(
                tasks: [task], section: shown.sections[path.section],
                row: staying.firstIndex(of: task) ?? -1)
            if let levels = small.allowedLevels(of: drop) {
                let own = small.rows[index].depth
                drop.level = levels.min { abs($0 - own) < abs($1 - own) }
            }
            return Self.result(of: drop, in: shown)
        }
    }

    /// The result of a drop; nil if it is refused.
    mutating func result(of drop: SmallDrop) -> Result? {
        if let known = results[drop] { return known }
        let result = Self.result(of: drop, in: shown)
        results.updateValue(result, forKey: drop)
        return result
    }

    private static func result(of drop: SmallDrop, in shown: ShownSmallList) -> Result? {
        guard let list = try? shown.small.after(drop) else { return nil }
        let rows = shown.rows(of: list)
        // A section for rows without one can become empty, and is not displayed then.
        let isSectionGone =
            shown.sections.first == 0 && shown.sections.count > 1
            && !list.rows.contains { $0.section == 0 }
        return Result(list: list, rows: isSectionGone ? Array(rows.dropFirst()) : rows)
    }
}
