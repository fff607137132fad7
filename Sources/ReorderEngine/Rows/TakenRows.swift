/// The visible rows that a move takes out of a list, and the numbers of the rows that stay.
struct TakenRows: Sendable {
    /// Rows that are taken out together: a moved task with its visible subtasks.
    private struct Block {
        var rows: Range<Int>
        /// The number of rows that are taken out above.
        var above: Int
    }

    /// In ascending order.
    private var blocks: [Block] = []
    /// The number of rows that are taken out.
    private(set) var count = 0

    /// - Parameter rows: ranges that do not overlap, in any order.
    init(_ rows: [Range<Int>]) {
        for rows in rows.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            blocks.append(Block(rows: rows, above: count))
            count += rows.count
        }
    }

    /// The first row that is taken out.
    var first: Int? { blocks.first?.rows.lowerBound }

    /// The number of staying rows above a row. O(log blocks).
    func staying(above row: Int) -> Int {
        let index = blocks.partition { $0.rows.lowerBound >= row }
        guard index > 0 else { return row }
        let last = blocks[index - 1]
        return row - last.above - (min(row, last.rows.upperBound) - last.rows.lowerBound)
    }

    /// The row of the staying row with this index. O(log blocks).
    func row(ofStaying index: Int) -> Int {
        // A block is above the staying row if at most `index` rows stay above the block.
        let end = blocks.partition { $0.rows.lowerBound - $0.above > index }
        guard end > 0 else { return index }
        return index + blocks[end - 1].above + blocks[end - 1].rows.count
    }
}

extension Array {
    /// The index of the first element for which `isAfter` is true, in an array in which these come
    /// last. O(log n).
    fileprivate func partition(_ isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
