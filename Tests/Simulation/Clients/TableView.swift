import ReorderClient
import ReorderEngine

/// A table view that applies the deltas of a list.
package struct TableView {
    /// The rows on the screen, and the state that they show.
    private var rows: [ListTask]
    private var shown: ReorderableList

    package init(_ list: ReorderableList) {
        rows = list.tasks(fromRow: 0, limit: list.rowCount)
        shown = list
    }

    /// Shows the next state.
    ///
    /// - Parameter touched: the rows that may differ.
    /// - Returns: the first difference between what the screen has then and the rows of the list, except for times, which deltas do
    ///   not report; nil means none.
    package mutating func show(_ list: ReorderableList, touched: TouchedRows) -> String? {
        let now = list.tasks(fromRow: 0, limit: list.rowCount)
        let delta = RowDelta(from: shown, to: list, touched: touched)
        rows = delta.applied(to: rows) { now[$0] }
        shown = list
        guard rows.count == now.count else { return "\(rows.count) rows, not \(now.count)" }
        for (old, new) in zip(rows, now) {
            var content = old.content
            content.stamps = new.content.stamps
            if content != new.content || old.depth != new.depth || old.subtasks != new.subtasks {
                return "the row of \(new.id), shown as \(old.id)"
            }
        }
        return nil
    }
}
