/// The changes of all lists in the order of their positions. The bytes are shared with the lists'
/// histories.
struct MemoryJournal {
    private struct Row {
        var list: String
        var change: StoredChange

        static let removed = Row(list: "", change: StoredChange(version: 0, bytes: []))
    }

    /// The position before the first row.
    private var start = 0
    private var rows: [Row] = []
    /// The first `removableCount` rows are not needed any more. They are removed later, because
    /// removing elements from the front of an array is O(n).
    private var removableCount = 0

    /// The position of the last change.
    var lastPosition: Int { start + rows.count }

    mutating func append(_ list: String, _ change: StoredChange) {
        rows.append(Row(list: list, change: change))
    }

    /// Removes all rows up to the position of a pruned change, because no reader can get past it.
    /// Amortized O(1) for each change.
    mutating func discard(upTo position: Int) {
        guard position > start + removableCount else { return }
        for index in removableCount..<position - start { rows[index] = Row.removed }
        removableCount = position - start
        guard removableCount > rows.count / 2 else { return }
        rows.removeFirst(removableCount)
        start = position
        removableCount = 0
    }

    /// O(number of returned entries).
    func entries(after position: Int, limit: Int) -> [JournalEntry]? {
        guard position >= start + removableCount, position <= lastPosition else { return nil }
        let first = position - start
        return rows[first...].prefix(limit).enumerated().map { index, row in
            JournalEntry(position: position + index + 1, list: row.list, change: row.change)
        }
    }
}
