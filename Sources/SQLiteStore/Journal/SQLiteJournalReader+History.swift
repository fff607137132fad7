import ReorderStore

/// A change that may be pruned after all earlier changes of its list.
struct PrunableChange {
    /// The list's key.
    var list: Int
    var version: Int
    /// Its row in the journal.
    var row: Int
    /// The time of the next change's decision.
    var nextAt: Int
}

/// Finds prunable changes, list by list in the order of their keys.
///
/// Scanning the journal instead would read its old, retained part again and again.
///
/// The changes found in one read may be pruned later, even after other commits, because a list's
/// last version and its snapshots only advance.
extension SQLiteJournalReader {
    /// A list with changes that may be pruned.
    private struct Candidate {
        var list: Int
        var head: (version: Int, change: Int)
        var forgotten: Int
        /// The last version that may be pruned.
        var bound: Int

        init(_ row: Statements.Row, keepingLast: Int) {
            list = row[0]
            head = (row[1], row[2])
            forgotten = row[3]
            let isDeleted: Bool = row[5]
            bound = min(head.version - max(1, keepingLast), row[4] ?? (isDeleted ? .max : 0))
        }

        /// The number of changes from the oldest to the one at the next landmark.
        var countToLandmark: Int {
            SQLiteSchema.landmarkInterval - forgotten % SQLiteSchema.landmarkInterval
        }
    }

    /// Finds prunable changes of the lists after `cursor`, in the order of their rows.
    ///
    /// For each list it finds only those up to the next landmark. The result then covers many lists
    /// that share pages of the journal, and removing all rows of a page costs little more than
    /// removing one.
    ///
    /// - Parameter cursor: the key of the last finished list, or nil before the first. It advances
    ///   even if this throws, and becomes nil after the last list.
    func prunableChanges(
        before time: Int, orFrom future: Int, keepingLast: Int, after cursor: inout Int?
    ) throws -> [PrunableChange] {
        let start = cursor ?? 0
        let end = start + Self.keysPerScan
        var found: [PrunableChange] = []
        var isComplete = true
        var damage: (list: Int, error: any Error)?
        // Reads `head` first, because most lists need no other table.
        try sql.forEach(
            """
            SELECT head.list, head.version, head.change, list.forgotten,
                (SELECT min(version) FROM snapshot WHERE snapshot.list = head.list),
                list.title IS NULL
            FROM head CROSS JOIN list ON list.key = head.list
            WHERE head.list > ?1 AND head.list <= ?2 AND head.version > ?3
                AND head.version - list.forgotten > ?3
                AND (list.oldest < ?4 OR list.oldest >= ?5) AND list.forgotten >= 0
            ORDER BY head.list
            """, start, end, max(1, keepingLast), time, future
        ) { row in
            guard found.count < Self.changesPerScan else {
                isComplete = false
                return false
            }
            let candidate = Candidate(row, keepingLast: keepingLast)
            do {
                let changes = try prunableChanges(of: candidate, before: time, orFrom: future)
                found += changes
                if changes.count == candidate.countToLandmark { isComplete = false }
                return true
            } catch {
                damage = (candidate.list, error)
                return false
            }
        }
        if let damage {
            cursor = found.isEmpty ? damage.list : isComplete ? damage.list - 1 : start
            guard !found.isEmpty else { throw damage.error }
        } else if isComplete {
            let next: Int? = try sql.value(
                "SELECT list FROM head WHERE list > ? ORDER BY list LIMIT 1", end)
            cursor = next.map { $0 - 1 }
        } else {
            cursor = start
        }
        return found.sorted { $0.row < $1.row }
    }

    /// Large, because a longer scan finds changes that are closer together.
    private static var keysPerScan: Int { 65_536 }
    /// This number of changes takes four megabytes of memory.
    private static var changesPerScan: Int { 131_072 }

    private func prunableChanges(
        of candidate: Candidate, before time: Int, orFrom future: Int
    ) throws -> [PrunableChange] {
        let first = candidate.forgotten + 1
        let count = min(candidate.bound - candidate.forgotten, candidate.countToLandmark)
        guard count > 0 else { return [] }
        // Includes the change after the last one, because its time is needed.
        let links = try links(of: candidate, versions: first...first + count)
        let old = zip(links, links.dropFirst()).prefix { $0.0.at < time || $0.0.at >= future }
        return old.enumerated().map {
            PrunableChange(
                list: candidate.list, version: first + $0.offset, row: $0.element.0.change,
                nextAt: $0.element.1.at)
        }
    }

    private func links(
        of candidate: Candidate, versions: ClosedRange<Int>
    ) throws -> [(change: Int, at: Int)] {
        var (version, change) =
            try sql.landmark(of: candidate.list, from: versions.upperBound) ?? candidate.head
        var links: [(change: Int, at: Int)] = []
        while version >= versions.lowerBound {
            let link: (previous: Int, at: Int)? = try sql.first(
                """
                SELECT previous, at FROM journal WHERE change = ? AND list = ? AND version = ?
                """, change, candidate.list, version
            ) { ($0[0], $0[1]) }
            guard let link else {
                throw StoreError.corrupt(
                    place: "list number \(candidate.list), version \(version)",
                    reason: "its change is not in row \(change) of the journal")
            }
            if version <= versions.upperBound { links.append((change, link.at)) }
            change = link.previous
            version -= 1
        }
        return links.reversed()
    }
}
