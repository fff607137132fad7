/// A list's retained changes in memory, without gaps.
struct MemoryHistory {
    private struct Change {
        var bytes: [UInt8]
        var at: Int64
        /// See `ListStore.journal`.
        var position: Int
    }

    /// The last version whose change was pruned, or 0.
    private(set) var prunedVersion = 0
    /// The position of that change, or 0.
    private(set) var prunedPosition = 0
    /// The first `removableCount` changes are pruned, the others are retained. Pruned changes are
    /// removed later, because removing elements from the front of an array is O(n).
    private var changes: [Change] = []
    private var removableCount = 0

    /// The position of the last change. It is never pruned.
    var lastPosition: Int { changes.last?.position ?? 0 }

    mutating func append(_ bytes: [UInt8], at: Int64, position: Int) {
        changes.append(Change(bytes: bytes, at: at, position: position))
    }

    /// O(number of returned changes).
    func changes(after version: Int, limit: Int) -> [StoredChange] {
        let first = max(
            removableCount, min(version - prunedVersion + removableCount, changes.count))
        return changes[first...].prefix(limit).enumerated().map { index, change in
            StoredChange(
                version: prunedVersion + first - removableCount + index + 1, bytes: change.bytes)
        }
    }

    /// Prunes the oldest changes up to a version, while they are older than `time`, or at
    /// `future` or later. Amortized O(1) for each change.
    ///
    /// - Returns: the number of pruned changes.
    mutating func prune(
        upTo version: Int, olderThan time: Int64, orFrom future: Int64, limit: Int
    ) -> Int {
        var count = 0
        while count < limit, prunedVersion < version,
            changes[removableCount].at < time || changes[removableCount].at >= future
        {
            changes[removableCount].bytes = []
            prunedPosition = changes[removableCount].position
            removableCount += 1
            prunedVersion += 1
            count += 1
        }
        if removableCount > changes.count / 2 {
            changes.removeFirst(removableCount)
            removableCount = 0
        }
        return count
    }
}

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
