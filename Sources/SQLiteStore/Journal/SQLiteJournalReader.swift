import GRDB
import ReorderStore

/// The prepared statements of a connection that only reads.
///
/// Used only within its queue's accesses, one at a time.
final class SQLiteJournalReader {
    let history: SQLiteHistoryReader
    let responses: StoredResponseReader
    let positions: SQLitePositionReader
    let bin: BinReader
    let tokens: TokenReader
    private let bodies: LongBodyReader
    private let findTasks: PreparedStatement
    private let findCount: PreparedStatement
    private let findList: PreparedStatement
    private let findSnapshot: PreparedStatement
    private let findLandmark: PreparedStatement
    private let findLink: PreparedStatement
    private let findChange: PreparedStatement
    private let findHolder: PreparedStatement
    private let findSummaries: PreparedStatement

    /// A list's row and head.
    private struct Head {
        var key: Int
        var version: Int
        var change: Int
        var exists: Bool
        /// The last version whose change was pruned or is hidden, or 0.
        var gone: Int
    }

    init(_ database: Database) throws {
        history = try SQLiteHistoryReader(database)
        responses = try StoredResponseReader(database)
        positions = try SQLitePositionReader(database)
        bin = try BinReader(database)
        tokens = try TokenReader(database)
        bodies = try LongBodyReader(database)
        findTasks = try PreparedStatement(
            database, "SELECT id FROM task WHERE list = ? AND id > ? ORDER BY id LIMIT ?")
        findCount = try PreparedStatement(database, "SELECT count FROM list WHERE id = ?")
        findList = try PreparedStatement(
            database,
            """
            SELECT list.key, head.version, head.change, list.title IS NOT NULL,
                max(list.forgotten, list.hidden)
            FROM list JOIN head ON head.list = list.key WHERE list.id = ?
            """)
        findSnapshot = try PreparedStatement(
            database,
            """
            SELECT version, body, checksum FROM snapshot WHERE list = ?
            ORDER BY version DESC LIMIT 2
            """)
        findLandmark = try PreparedStatement(
            database,
            """
            SELECT version, change FROM landmark WHERE list = ? AND version >= ?
            ORDER BY version LIMIT 1
            """)
        // A separate statement, because SQLite reads a long body even if its bytes are not used.
        findLink = try PreparedStatement(
            database, "SELECT list, version, previous FROM journal WHERE change = ?")
        findChange = try PreparedStatement(
            database,
            "SELECT list, version, previous, body, checksum FROM journal WHERE change = ?")
        findHolder = try PreparedStatement(
            database,
            """
            SELECT id FROM list WHERE key = coalesce(
                (SELECT staging.list FROM staged_task JOIN staging USING (slot)
                    WHERE staged_task.id = ?1),
                (SELECT list FROM task WHERE id = ?1))
            """)
        findSummaries = try PreparedStatement(
            database,
            """
            SELECT list.id, list.title, head.version, list.count, list.open
            FROM list JOIN head ON head.list = list.key
            WHERE list.id > ? AND list.title IS NOT NULL ORDER BY list.id LIMIT ?
            """)
    }

    func load(_ list: String) throws -> StoredList? {
        guard let head = try head(of: list) else { return nil }
        guard head.exists else { return StoredList(version: head.version, content: nil) }
        let content = try content(of: list, in: head, at: head.version, entry: head.change)
        return StoredList(version: head.version, content: content)
    }

    /// The list in the bin with its content, which it had before its last version.
    func deletedList(_ list: String) throws -> DeletedList? {
        guard var deleted = try bin.list(list), let head = try head(of: list) else { return nil }
        let entry = try follow(
            findLink, to: head.change, version: head.version, of: list, in: head)
        findLink.reset()
        deleted.content = try content(of: list, in: head, at: head.version - 1, entry: entry)
        return deleted
    }

    /// - Parameter entry: the row of `version`.
    private func content(
        of list: String, in head: Head, at version: Int, entry: Int
    ) throws -> StoredList.Content {
        try findSnapshot.bind(head.key, at: 1)
        defer { findSnapshot.reset() }
        guard try findSnapshot.step() else {
            throw StoreError.corrupt(place: "list \(list)", reason: "it has no snapshot")
        }
        let snapshot = try snapshotFound(of: list, in: head)
        guard snapshot.version <= version else {
            throw StoreError.corrupt(
                place: "list \(list)", reason: "its snapshot is newer than version \(version)")
        }
        let changes = try changes(
            of: list, in: head, versions: snapshot.version..<version, entry: entry)
        return StoredList.Content(
            snapshot: snapshot.bytes, snapshotVersion: snapshot.version, changes: changes)
    }

    /// - Parameter validOnly: whether snapshots that are not valid are left out.
    func snapshots(of list: String, validOnly: Bool = false) throws -> [StoredSnapshot] {
        guard let head = try head(of: list) else { return [] }
        try findSnapshot.bind(head.key, at: 1)
        defer { findSnapshot.reset() }
        var snapshots: [StoredSnapshot] = []
        while try findSnapshot.step() {
            do {
                snapshots.append(try snapshotFound(of: list, in: head))
            } catch StoreError.corrupt where validOnly {}
        }
        return snapshots.reversed()
    }

    private func snapshotFound(of list: String, in head: Head) throws -> StoredSnapshot {
        let version = findSnapshot.integer(0)
        let snapshot = StoredSnapshot(
            version: version,
            bytes: try bodies.whole(
                findSnapshot.bytes(1), .snapshot, of: head.key, version: version))
        guard
            checksum(of: snapshot.bytes, version: snapshot.version) == findSnapshot.integer(2),
            snapshot.version <= head.version
        else {
            throw StoreError.corrupt(
                place: "list \(list)", reason: "the checksum of its snapshot does not match")
        }
        return snapshot
    }

    func prunedVersion(of list: String) throws -> Int { try head(of: list)?.gone ?? 0 }

    func changes(of list: String, after version: Int, limit: Int) throws -> [StoredChange]? {
        guard let head = try head(of: list), version < head.version, limit > 0 else { return [] }
        let version = max(0, version)
        guard version >= head.gone else { return nil }
        let last = head.version - version > limit ? version + limit : head.version
        try findLandmark.bind(head.key, at: 1)
        try findLandmark.bind(last, at: 2)
        defer { findLandmark.reset() }
        let entry =
            try last < head.version && findLandmark.step()
            ? (version: findLandmark.integer(0), change: findLandmark.integer(1))
            : (version: head.version, change: head.change)
        var change = entry.change
        for passed in stride(from: entry.version, to: last, by: -1) {
            change = try follow(findLink, to: change, version: passed, of: list, in: head)
            findLink.reset()
        }
        return try changes(of: list, in: head, versions: version..<last, entry: change)
    }

    func journal(after position: Int, limit: Int) throws -> [JournalEntry]? {
        try positions.entries(after: position, limit: limit, bodies)
    }

    func holders(of tasks: [String]) throws -> [String: String] {
        var holders: [String: String] = [:]
        for task in tasks {
            try findHolder.bind(task, at: 1)
            defer { findHolder.reset() }
            if try findHolder.step() {
                holders[task] = findHolder.text(0)
            }
        }
        return holders
    }

    func summaries(after list: String?, limit: Int) throws -> [ListSummary] {
        try findSummaries.bind(list ?? "", at: 1)
        try findSummaries.bind(limit, at: 2)
        defer { findSummaries.reset() }
        var summaries: [ListSummary] = []
        while try findSummaries.step() {
            summaries.append(
                ListSummary(
                    id: findSummaries.text(0), title: findSummaries.text(1),
                    version: findSummaries.integer(2), count: findSummaries.integer(3),
                    open: findSummaries.isNull(4) ? nil : findSummaries.integer(4)))
        }
        return summaries
    }

    // MARK: For large appends

    func last(of list: String) throws -> CommitAdmission.Last {
        let head = try head(of: list)
        return .init(version: head?.version ?? 0, exists: head?.exists ?? false)
    }

    /// The number of tasks in a list.
    func count(of list: String) throws -> Int {
        try findCount.bind(list, at: 1)
        defer { findCount.reset() }
        return try findCount.step() ? findCount.integer(0) : 0
    }

    /// The ids of a list's tasks, ascending. The tasks must not have staged changes.
    func tasks(of list: String, after id: String, limit: Int) throws -> [String] {
        guard let head = try head(of: list) else { return [] }
        try findTasks.bind(head.key, at: 1)
        try findTasks.bind(id, at: 2)
        try findTasks.bind(limit, at: 3)
        defer { findTasks.reset() }
        var ids: [String] = []
        while try findTasks.step() { ids.append(findTasks.text(0)) }
        return ids
    }

    // MARK: The chain of a list's changes

    private func head(of list: String) throws -> Head? {
        try findList.bind(list, at: 1)
        defer { findList.reset() }
        guard try findList.step() else { return nil }
        return Head(
            key: findList.integer(0), version: findList.integer(1), change: findList.integer(2),
            exists: findList.integer(3) != 0, gone: findList.integer(4))
    }

    /// The changes after `versions.lowerBound` up to `versions.upperBound`, oldest first.
    ///
    /// - Parameter entry: the row of version `versions.upperBound`.
    private func changes(of list: String, in head: Head, versions: Range<Int>, entry: Int) throws
        -> [StoredChange]
    {
        var changes: [StoredChange] = []
        changes.reserveCapacity(versions.count)
        var change = entry
        for version in stride(from: versions.upperBound, to: versions.lowerBound, by: -1) {
            change = try follow(findChange, to: change, version: version, of: list, in: head)
            let bytes = try bodies.whole(
                findChange.bytes(3), .change, of: head.key, version: version)
            let stored = StoredChange(version: version, bytes: bytes)
            let isSound = checksum(of: stored.bytes, version: version) == findChange.integer(4)
            findChange.reset()
            guard isSound else {
                throw StoreError.corrupt(
                    place: "list \(list), version \(version)",
                    reason: "the checksum of its change does not match")
            }
            changes.append(stored)
        }
        changes.reverse()
        return changes
    }

    /// Steps a statement to a row of the journal, and verifies that it is the expected one.
    ///
    /// - Returns: the row of the previous version.
    private func follow(
        _ statement: PreparedStatement, to change: Int, version: Int, of list: String,
        in head: Head
    ) throws -> Int {
        try statement.bind(change, at: 1)
        guard try statement.step(), statement.integer(0) == head.key,
            statement.integer(1) == version
        else {
            statement.reset()
            throw StoreError.corrupt(
                place: "list \(list), version \(version)",
                reason: "its change is not in row \(change) of the journal")
        }
        return statement.integer(2)
    }
}
