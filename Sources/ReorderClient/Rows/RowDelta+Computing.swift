import ReorderEngine

extension RowDelta {
    /// Computes the delta between two states. O(k log n) for k touched rows.
    ///
    /// Rows that were not touched keep their place. A touched row can keep its place if the same
    /// number of untouched rows is above it as before. A longest sequence of such rows that is in the
    /// same order before and after keeps its place. All other touched rows move.
    package init(from before: ReorderableList, to after: ReorderableList, touched: TouchedRows) {
        let rows = touched.rows(in: before, and: after)
        self.init(from: rows.before, to: rows.after)
    }

    /// Computes the delta between the touched rows of two states, both ascending by row.
    fileprivate init(from oldRows: [TouchedRows.Row], to newRows: [TouchedRows.Row]) {
        var indexOfNew: [TaskID: Int] = [:]
        for (index, row) in newRows.enumerated() { indexOfNew[row.task.id] = index }
        var pairs: [(from: Int, to: Int, canStay: Bool)] = []
        var known = Set<Int>()
        for (index, old) in oldRows.enumerated() {
            guard let newIndex = indexOfNew[old.task.id] else {
                removed.append(old.row)
                continue
            }
            let new = newRows[newIndex]
            known.insert(newIndex)
            pairs.append((old.row, new.row, old.row - index == new.row - newIndex))
            if !old.task.looks(like: new.task) { updated.append(new.row) }
        }
        updated.sort()
        for (index, new) in newRows.enumerated() where !known.contains(index) {
            inserted.append(new.row)
        }
        let places = pairs.filter(\.canStay).map(\.to)
        let staying = Set(longestIncreasingSubsequence(of: places).map { places[$0] })
        for pair in pairs where !(pair.canStay && staying.contains(pair.to)) {
            moved.append(Move(from: pair.from, to: pair.to))
        }
        moved.sort { $0.to < $1.to }
    }
}

extension ListTask {
    /// Whether a cell displays both tasks the same way. Times are not compared: they arrive with the
    /// server's response, and each change on this device would otherwise update its row twice.
    fileprivate func looks(like other: ListTask) -> Bool {
        var stamped = other.content
        stamped.stamps = content.stamps
        return content == stamped && depth == other.depth && subtasks == other.subtasks
            && isLockedByOffset == other.isLockedByOffset
            && content.title.utf8.elementsEqual(other.content.title.utf8)
    }
}
