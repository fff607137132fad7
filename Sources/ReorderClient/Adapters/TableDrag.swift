import ReorderEngine

/// A row that is being dragged, with its subtasks folded.
package struct TableDrag: Sendable {
    package let task: TaskID
    /// The row's level before the drag.
    package let level: Int
    /// The rows at the lift, with the dragged row's subtasks folded: changes of other people wait until the end of the drag.
    private let rows: TableRows
    private let order: RowOrder
    private let source: RowPath
    /// The drop if the person lets go now; nil if the row is at its own place.
    package private(set) var drop: TableDrop?

    /// - Parameter order: the order of `rows`.
    /// - Returns: nil if the row is locked or not visible.
    package init?(lifting task: TaskID, in rows: TableRows, _ order: RowOrder) {
        guard rows.canLift(task), let level = rows.list.task(task)?.depth else { return nil }
        self.task = task
        self.level = level
        self.rows = rows.folding(task)
        guard let source = self.rows.path(of: task) else { return nil }
        self.source = source
        // The subtasks follow the row.
        let hidden = rows.list.rowCount - self.rows.list.rowCount
        self.order = order.removing(hidden, after: source, of: task) ?? self.rows.order
    }

    /// Where the blank row is.
    package var path: RowPath { drop?.path ?? source }

    /// The rows to display: the subtasks are folded, and the row is at the place where it would be dropped.
    package var displayed: RowOrder { order.moving(source, to: path) }

    /// Moves the row to an index path. If the rules refuse that, it stays at its last place.
    ///
    /// - Parameter levels: how many levels deeper than before.
    /// - Returns: whether the rules allow the place.
    @discardableResult package mutating func hover(at path: RowPath, deeper levels: Int) -> Bool {
        guard let drop = rows.drop(task, at: path, deeper: levels) else { return false }
        self.drop = drop
        return true
    }
}
