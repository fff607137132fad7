import ReorderClient
import ReorderEngine

/// A table view that shows a list, and replaces only the rows that the client library calls touched.
package struct TableView {
    private var list: ReorderableList
    private var rows: [ListTask]

    package init(_ list: ReorderableList) {
        self.list = list
        rows = list.rows
    }

    /// Shows the next state.
    ///
    /// - Parameter touched: the rows that may differ.
    /// - Returns: the first row that is not shown as it is in the list; nil means none.
    package mutating func show(_ next: ReorderableList, touched: TouchedRows) -> String? {
        let (before, after) = touched.rows(in: list, and: next)
        list = next
        let leaving = Set(before.map(\.row))
        var staying = rows.enumerated().filter { !leaving.contains($0.offset) }.map(\.element)[...]
        var arriving = after[...]
        rows = []
        while let row = arriving.first?.row == rows.count
            ? arriving.popFirst()?.task : staying.popFirst()
        { rows.append(row) }

        let wanted = list.rows
        guard rows.count == wanted.count else {
            return "\(rows.count) rows are shown, not \(wanted.count)"
        }
        return zip(rows, wanted).first { $0.withoutPlace != $1.withoutPlace }.map {
            "the row of \($1.id), shown as \($0.id)"
        }
    }
}

extension ReorderableList {
    fileprivate var rows: [ListTask] { tasks(fromRow: 0, limit: rowCount) }
}

extension ListTask {
    /// Without its indices, which change with the rows above.
    fileprivate var withoutPlace: ListTask {
        var task = self
        task.placement.row = nil
        task.placement.position = 0
        return task
    }
}
