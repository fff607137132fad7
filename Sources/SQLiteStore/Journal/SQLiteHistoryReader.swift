import GRDB
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
final class SQLiteHistoryReader {
    private let findNextList: PreparedStatement
    private let findLists: PreparedStatement
    private let findEntry: PreparedStatement
    private let findLink: PreparedStatement

    /// A list with changes that may be pruned.
    private struct Candidate {
        var list: Int
        var head: (version: Int, change: Int)
        var forgotten: Int
        /// The last version that may be pruned.
        var bound: Int

        /// The number of changes from the oldest to the one at the next landmark.
        var countToLandmark: Int {
            SQLiteSchema.landmarkInterval - forgotten % SQLiteSchema.landmarkInterval
        }
    }

    init(_ database: Database) throws {
        findNextList = try PreparedStatement(
            database, "SELECT list FROM head WHERE list > ? ORDER BY list LIMIT 1")
        // Reads `head` first, because most lists need no other table.
        findLists = try PreparedStatement(
            database,
            """
            SELECT head.list, head.version, head.change, list.forgotten,
                (SELECT min(version) FROM snapshot WHERE snapshot.list = head.list),
                list.title IS NULL
            FROM head CROSS JOIN list ON list.key = head.list
            WHERE head.list > ?1 AND head.list <= ?2 AND head.version > ?3
                AND head.version - list.forgotten > ?3
                AND (list.oldest < ?4 OR list.oldest >= ?5) AND list.forgotten >= 0
            ORDER BY head.list
            """)
        findEntry = try PreparedStatement(
            database,
            """
            SELECT version, change FROM landmark WHERE list = ? AND version >= ?
            ORDER BY version LIMIT 1
            """)
        findLink = try PreparedStatement(
            database, "SELECT list, version, previous, at FROM journal WHERE change = ?")
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
        try findLists.bind(start, at: 1)
        try findLists.bind(end, at: 2)
        try findLists.bind(max(1, keepingLast), at: 3)
        try findLists.bind(time, at: 4)
        try findLists.bind(future, at: 5)
        defer { findLists.reset() }
        var found: [PrunableChange] = []
        var isComplete = true
        while try findLists.step() {
            guard found.count < Self.changesPerScan else {
                isComplete = false
                break
            }
            let candidate = candidate(keepingLast: keepingLast)
            do {
                let changes = try prunableChanges(of: candidate, before: time, orFrom: future)
                found += changes
                if changes.count == candidate.countToLandmark { isComplete = false }
            } catch {
                cursor = found.isEmpty ? candidate.list : isComplete ? candidate.list - 1 : start
                guard !found.isEmpty else { throw error }
                return found.sorted { $0.row < $1.row }
            }
        }
        if isComplete {
            try findNextList.bind(end, at: 1)
            defer { findNextList.reset() }
            cursor = try findNextList.step() ? findNextList.integer(0) - 1 : nil
        } else {
            cursor = start
        }
        return found.sorted { $0.row < $1.row }
    }

    /// Large, because a longer scan finds changes that are closer together.
    private static let keysPerScan = 65_536
    /// This number of changes takes four megabytes of memory.
    private static let changesPerScan = 131_072

    private func candidate(keepingLast: Int) -> Candidate {
        let version = findLists.integer(1)
        let isDeleted = findLists.integer(5) != 0
        return Candidate(
            list: findLists.integer(0), head: (version, findLists.integer(2)),
            forgotten: findLists.integer(3),
            bound: min(
                version - max(1, keepingLast),
                isDeleted && findLists.isNull(4) ? .max : findLists.integer(4)))
    }

    private func prunableChanges(
        of candidate: Candidate, before time: Int, orFrom future: Int
    ) throws -> [PrunableChange] {
        let first = candidate.forgotten + 1
        let count = min(
            candidate.bound - candidate.forgotten,
            candidate.countToLandmark)
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
        try findEntry.bind(candidate.list, at: 1)
        try findEntry.bind(versions.upperBound, at: 2)
        defer { findEntry.reset() }
        var (version, change) = candidate.head
        if try findEntry.step() {
            (version, change) = (findEntry.integer(0), findEntry.integer(1))
        }
        var links: [(change: Int, at: Int)] = []
        while version >= versions.lowerBound {
            try findLink.bind(change, at: 1)
            defer { findLink.reset() }
            guard try findLink.step(), findLink.integer(0) == candidate.list,
                findLink.integer(1) == version
            else {
                throw StoreError.corrupt(
                    place: "list number \(candidate.list), version \(version)",
                    reason: "its change is not in row \(change) of the journal")
            }
            if version <= versions.upperBound { links.append((change, findLink.integer(3))) }
            change = findLink.integer(2)
            version -= 1
        }
        return links.reversed()
    }
}
