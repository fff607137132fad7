/// The difference between the visible rows of two states of a list, with as few moves as possible.
///
/// The indices have the meaning that `performBatchUpdates` expects: removals and the origins of
/// moves are indices of the old rows, insertions and the destinations of moves are indices of the
/// new rows. The other rows keep their order. `updated` has indices of the new rows: reconfigure
/// those after the animation.
package struct RowDelta: Sendable, Equatable {
    /// The removed rows, as indices of the old rows, ascending.
    package var removed: [Int] = []
    /// The inserted rows, as indices of the new rows, ascending.
    package var inserted: [Int] = []
    /// The rows that move, ascending by destination.
    package var moved: [Move] = []
    /// The rows that look different (title, done, depth, number of subtasks, whether they are locked, …), as indices of the
    /// new rows, ascending. It includes moved rows, but not inserted ones. Rows of which only the times
    /// differ are not included.
    package var updated: [Int] = []

    /// The move of one row.
    package struct Move: Sendable, Equatable {
        /// The index among the old rows.
        package var from: Int
        /// The index among the new rows.
        package var to: Int

        /// Creates a move from one index to another.
        package init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// Creates an empty delta.
    package init() {}

    /// Whether all rows stay unchanged.
    package var isEmpty: Bool {
        removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
    }

    /// Applies the delta to an array with one element for each old row, for tests. O(rows). Other rows keep their
    /// elements, although their places may differ.
    ///
    /// - Parameters:
    ///   - rows: exactly one element for each old row.
    ///   - row: returns the element for a new row that was inserted or updated.
    package func applied<Element>(to rows: [Element], row: (_ index: Int) -> Element) -> [Element] {
        var leaving = Set(removed)
        leaving.formUnion(moved.lazy.map(\.from))
        var staying = rows.indices.lazy.filter { !leaving.contains($0) }.makeIterator()
        let incoming = Dictionary(uniqueKeysWithValues: moved.map { ($0.to, $0.from) })
        let fresh = Set(inserted)
        let changed = Set(updated)
        return (0..<(rows.count - removed.count + inserted.count)).compactMap { index in
            if fresh.contains(index) { return row(index) }
            guard let origin = incoming[index] ?? staying.next(), rows.indices ~= origin else {
                return nil
            }
            return changed.contains(index) ? row(index) : rows[origin]
        }
    }
}
