/// How the rows of a table view go from one state of a list to the next, with no more of them moved
/// than must be.
///
/// The indices mean what `performBatchUpdates` wants them to mean: removals and the origins of moves
/// count in the old rows, insertions and the ends of moves in the new ones. What is left keeps its
/// order. `updated` counts in the new rows: reconfigure those once the others are animated.
public struct RowDelta: Sendable, Equatable {
    /// The rows that go, as indices of the old rows, ascending.
    public var removed: [Int] = []
    /// The rows that come, as indices of the new rows, ascending.
    public var inserted: [Int] = []
    /// The rows that change their place among the others, ascending by where they go.
    public var moved: [Move] = []
    /// The rows that look different (title, ticks, depth, number of subtasks, …), as indices of the
    /// new rows, ascending. Rows that also moved are among them, inserted ones are not.
    public var updated: [Int] = []

    /// One row that changes its place.
    public struct Move: Sendable, Equatable {
        /// The index among the old rows.
        public var from: Int
        /// The index among the new rows.
        public var to: Int

        /// A row's way.
        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// A delta of nothing.
    public init() {}

    /// Whether every row stays as it is.
    public var isEmpty: Bool {
        removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
    }

    /// What becomes of an array that stands for the old rows. O(rows).
    ///
    /// - Parameters:
    ///   - rows: one element an old row; where it is not, the result is not the new rows either.
    ///   - row: makes the element of a new row that was inserted or updated.
    public func applied<Element>(to rows: [Element], row: (_ index: Int) -> Element) -> [Element] {
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
