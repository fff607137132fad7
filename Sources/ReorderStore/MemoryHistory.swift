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
