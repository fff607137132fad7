/// A list's changes in memory, from some version on without gaps.
struct MemoryHistory {
    private struct Change {
        var bytes: [UInt8]
        var at: Int64
    }

    /// The last version whose change is no longer kept; 0 where all are.
    private(set) var forgotten = 0
    /// Those that are kept, after `gone` that are not: an array shrinks at its end only.
    private var changes: [Change] = []
    private var gone = 0

    mutating func append(_ bytes: [UInt8], at: Int64) {
        changes.append(Change(bytes: bytes, at: at))
    }

    /// O(what is given).
    func changes(after version: Int, limit: Int) -> [StoredChange] {
        let first = max(gone, min(version - forgotten + gone, changes.count))
        return changes[first...].prefix(limit).enumerated().map { index, change in
            StoredChange(version: forgotten + first - gone + index + 1, bytes: change.bytes)
        }
    }

    /// Forgets the oldest changes up to a version, as long as they are older than `time`, or from
    /// `future` or later: amortised O(1) a change.
    ///
    /// - Returns: how many.
    mutating func forget(
        upTo version: Int, olderThan time: Int64, orFrom future: Int64, limit: Int
    ) -> Int {
        var count = 0
        while count < limit, forgotten < version,
            changes[gone].at < time || changes[gone].at >= future
        {
            changes[gone].bytes = []
            gone += 1
            forgotten += 1
            count += 1
        }
        if gone > changes.count / 2 {
            changes.removeFirst(gone)
            gone = 0
        }
        return count
    }
}
