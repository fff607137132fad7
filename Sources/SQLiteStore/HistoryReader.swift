import GRDB
import ReorderStore

/// Changes at the beginning of a list's history that may go.
struct OldestChanges {
    /// The list's key.
    var list: Int
    /// Their rows in the journal, in the order of their versions.
    var rows: [Int] = []
    /// The version of the last of them.
    var last: Int
    /// When the change after the last of them was decided.
    var nextAt: Int
}

/// Finds what may be forgotten, list after list in the order of their keys.
///
/// Walking the journal instead would read again and again whatever has to stay in its old part. The
/// rows of a list are spread over the journal, so removing touches a page for each change where many
/// lists share it; that is less than the reading, and in the background.
///
/// A decision made in one read stays right though commits come before it is carried out: a list's
/// last version and its snapshots only move on.
final class HistoryReader {
    private let findNextList: PreparedStatement
    private let findLists: PreparedStatement
    private let findEntry: PreparedStatement
    private let findLink: PreparedStatement

    /// A list with changes that may go.
    private struct Candidate {
        var list: Int
        var head: (version: Int, change: Int)
        var forgotten: Int
        /// The last version that may go.
        var bound: Int
    }

    init(_ database: Database) throws {
        findNextList = try PreparedStatement(
            database, "SELECT list FROM head WHERE list > ? ORDER BY list LIMIT 1")
        // `head` first: of most lists nothing else needs to be read.
        findLists = try PreparedStatement(
            database,
            """
            SELECT head.list, head.version, head.change, list.forgotten,
                (SELECT min(version) FROM snapshot WHERE snapshot.list = head.list),
                list.title IS NULL
            FROM head CROSS JOIN list ON list.key = head.list
            WHERE head.list > ?1 AND head.list <= ?2 AND head.version > ?3
                AND head.version - list.forgotten > ?3 AND list.oldest < ?4
                AND list.forgotten >= 0
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

    /// The oldest changes of the lists after `cursor` that may go, at most `limit`.
    ///
    /// - Parameter cursor: the key of the last list that is done; moved on, also where this throws.
    ///   It becomes `nil` after the last list.
    func oldestChanges(
        before time: Int, keepingLast: Int, after cursor: inout Int?, limit: Int
    ) throws -> [OldestChanges] {
        let start = cursor ?? 0
        let end = start + Self.listsInOneLook
        try findLists.bind(start, at: 1)
        try findLists.bind(end, at: 2)
        try findLists.bind(max(1, keepingLast), at: 3)
        try findLists.bind(time, at: 4)
        defer { findLists.reset() }
        var found: [OldestChanges] = []
        var room = limit
        while try findLists.step() {
            let candidate = candidate(keepingLast: keepingLast)
            var oldest = OldestChanges(list: candidate.list, last: candidate.forgotten, nextAt: 0)
            var damage: (any Error)?
            do {
                while room > oldest.rows.count,
                    try extend(&oldest, of: candidate, before: time, limit: room)
                {}
            } catch {
                damage = error
            }
            if !oldest.rows.isEmpty { found.append(oldest) }
            room -= oldest.rows.count
            if let damage, found.isEmpty {
                cursor = candidate.list
                throw damage
            }
            if damage != nil || room == 0 {
                // What is found goes first; then this list is looked at again.
                cursor = candidate.list - 1
                return found
            }
        }
        try findNextList.bind(end, at: 1)
        defer { findNextList.reset() }
        cursor = try findNextList.step() ? findNextList.integer(0) - 1 : nil
        return found
    }

    /// So that a look where nothing goes is as short as one where much does.
    private static let listsInOneLook = 4_096

    private func candidate(keepingLast: Int) -> Candidate {
        let version = findLists.integer(1)
        let isDeleted = findLists.integer(5) != 0
        return Candidate(
            list: findLists.integer(0), head: (version, findLists.integer(2)),
            forgotten: findLists.integer(3),
            bound: min(
                version - max(1, keepingLast), isDeleted ? .max : findLists.integer(4)))
    }

    /// Adds the changes up to the next landmark, as far as they may go.
    ///
    /// - Returns: whether all of them may, and there are more.
    private func extend(
        _ oldest: inout OldestChanges, of candidate: Candidate, before time: Int, limit: Int
    ) throws -> Bool {
        let count = min(
            candidate.bound - oldest.last, limit - oldest.rows.count,
            Schema.landmarkInterval - oldest.last % Schema.landmarkInterval)
        guard count > 0 else { return false }
        let target = oldest.last + count
        // With the one after the target, whose time is needed.
        let links = try links(of: candidate, versions: oldest.last + 1...target + 1)
        for (link, next) in zip(links, links.dropFirst()) {
            guard link.at < time else { return false }
            oldest.rows.append(link.change)
            oldest.last += 1
            oldest.nextAt = next.at
        }
        return oldest.last < candidate.bound
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
                    reason: "its change is not at row \(change) of the journal")
            }
            if version <= versions.upperBound { links.append((change, findLink.integer(3))) }
            change = findLink.integer(2)
            version -= 1
        }
        return links.reversed()
    }
}
