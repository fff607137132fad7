import ReorderClient
import ReorderEngine

/// A table view that shows a list, and replaces only the rows that the client library calls touched.
package struct TableView {
    private var shown: ReorderableList

    package init(_ list: ReorderableList) { shown = list }

    /// Shows the next state.
    ///
    /// - Parameter touched: the rows that may differ.
    /// - Returns: the first row that differs and was not replaced; nil means none.
    package mutating func show(_ list: ReorderableList, touched: TouchedRows) -> String? {
        let rows = touched.rows(in: shown, and: list)
        let old = shown.rows(except: rows.before)
        let new = list.rows(except: rows.after)
        shown = list
        guard old.count == new.count else { return "\(old.count) rows stay, not \(new.count)" }
        return zip(old, new).first { $0 != $1 }.map { "the row of \($1.id), shown as \($0.id)" }
    }
}

extension ReorderableList {
    /// The other visible rows, without their indices, which change with the rows above.
    fileprivate func rows(except rows: [TouchedRows.Row]) -> [ListTask] {
        let others = Set(rows.map(\.row))
        return tasks(fromRow: 0, limit: rowCount).enumerated().filter {
            !others.contains($0.offset)
        }
        .map { _, task in
            var task = task
            task.placement.row = nil
            task.placement.position = 0
            return task
        }
    }
}
