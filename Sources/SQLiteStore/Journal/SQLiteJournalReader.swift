import GRDB
import ReorderStore

/// Reads lists with their changes and snapshots, on a connection that only reads.
struct SQLiteJournalReader {
    let sql: Statements

    /// A list's row and head.
    private struct Head {
        var key: Int
        var version: Int
        var change: Int
        var exists: Bool
        /// The last version whose change was pruned or is hidden, or 0.
        var gone: Int
    }

    func load(_ list: String) throws -> LoadedList? {
        guard let head = try head(of: list) else { return nil }
        guard head.exists else { return LoadedList(version: head.version, content: nil) }
        let content = try content(of: list, in: head, at: head.version, entry: head.change)
        return LoadedList(version: head.version, content: content)
    }

    /// The list in the bin with its content, which it had before its last version.
    func deletedListWithContent(_ list: String) throws -> BinEntry? {
        guard var deleted = try deletedList(list), let head = try head(of: list) else { return nil }
        let entry = try link(to: head.change, version: head.version, of: list, in: head)
        deleted.content = try content(of: list, in: head, at: head.version - 1, entry: entry)
        return deleted
    }

    /// - Parameter entry: the row of `version`.
    private func content(
        of list: String, in head: Head, at version: Int, entry: Int
    ) throws -> LoadedList.Content {
        let found = try sql.first(Self.newestSnapshots, head.key) {
            try snapshot($0, of: list, in: head)
        }
        guard let snapshot = found else {
            throw StoreError.corrupt(place: "list \(list)", reason: "it has no snapshot")
        }
        guard snapshot.version <= version else {
            throw StoreError.corrupt(
                place: "list \(list)", reason: "its snapshot is newer than version \(version)")
        }
        let changes = try changes(
            of: list, in: head, versions: snapshot.version..<version, entry: entry)
        return LoadedList.Content(
            snapshot: snapshot.bytes, snapshotVersion: snapshot.version, changes: changes)
    }

    /// - Parameter validOnly: whether snapshots that are not valid are left out.
    func snapshots(of list: String, validOnly: Bool = false) throws -> [StoredSnapshot] {
        guard let head = try head(of: list) else { return [] }
        let snapshots: [StoredSnapshot?] = try sql.all(Self.newestSnapshots, head.key) {
            do {
                return try snapshot($0, of: list, in: head)
            } catch StoreError.corrupt where validOnly {
                return nil
            }
        }
        return snapshots.compactMap(\.self).reversed()
    }

    private static let newestSnapshots: StaticString = """
        SELECT version, body, checksum FROM snapshot WHERE list = ? ORDER BY version DESC LIMIT 2
        """

    private func snapshot(
        _ row: Statements.Row, of list: String, in head: Head
    ) throws -> StoredSnapshot {
        let version: Int = row[0]
        let snapshot = StoredSnapshot(
            version: version,
            bytes: try sql.wholeBody(row[1], .snapshot, of: head.key, version: version))
        guard checksum(of: snapshot.bytes, version: version) == row[2], version <= head.version
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
        var entry = (version: head.version, change: head.change)
        if last < head.version {
            entry = try sql.landmark(of: head.key, from: last) ?? entry
        }
        for passed in stride(from: entry.version, to: last, by: -1) {
            entry.change = try link(to: entry.change, version: passed, of: list, in: head)
        }
        return try changes(of: list, in: head, versions: version..<last, entry: entry.change)
    }

    func holders(of tasks: [String]) throws -> [String: String] {
        var holders: [String: String] = [:]
        for task in tasks {
            holders[task] = try sql.value(
                """
                SELECT id FROM list WHERE key = coalesce(
                    (SELECT staging.list FROM staged_task JOIN staging USING (slot)
                        WHERE staged_task.id = ?1),
                    (SELECT list FROM task WHERE id = ?1))
                """, task)
        }
        return holders
    }

    func summaries(after list: String?, limit: Int) throws -> [IndexedList] {
        try sql.all(
            """
            SELECT list.id, list.title, head.version, list.count, list.open
            FROM list JOIN head ON head.list = list.key
            WHERE list.id > ? AND list.title IS NOT NULL ORDER BY list.id LIMIT ?
            """, list ?? "", limit
        ) { IndexedList(id: $0[0], title: $0[1], version: $0[2], count: $0[3], open: $0[4]) }
    }

    // MARK: For large appends

    func last(of list: String) throws -> CommitAdmission.Last {
        let head = try head(of: list)
        return .init(version: head?.version ?? 0, exists: head?.exists ?? false)
    }

    /// The number of tasks in a list.
    func count(of list: String) throws -> Int {
        try sql.value("SELECT count FROM list WHERE id = ?", list) ?? 0
    }

    /// The ids of a list's tasks, ascending. The tasks must not have staged changes.
    func tasks(of list: String, after id: String, limit: Int) throws -> [String] {
        guard let head = try head(of: list) else { return [] }
        return try sql.all(
            "SELECT id FROM task WHERE list = ? AND id > ? ORDER BY id LIMIT ?", head.key, id, limit
        ) { $0[0] }
    }

    // MARK: The chain of a list's changes

    private func head(of list: String) throws -> Head? {
        try sql.first(
            """
            SELECT list.key, head.version, head.change, list.title IS NOT NULL,
                max(list.forgotten, list.hidden)
            FROM list JOIN head ON head.list = list.key WHERE list.id = ?
            """, list
        ) { Head(key: $0[0], version: $0[1], change: $0[2], exists: $0[3], gone: $0[4]) }
    }

    /// The changes after `versions.lowerBound` up to `versions.upperBound`, oldest first.
    ///
    /// - Parameter entry: the row of version `versions.upperBound`.
    private func changes(of list: String, in head: Head, versions: Range<Int>, entry: Int) throws
        -> [StoredChange]
    {
        var changes: [StoredChange] = []
        changes.reserveCapacity(versions.count)
        var entry = entry
        for version in stride(from: versions.upperBound, to: versions.lowerBound, by: -1) {
            entry = try follow(
                """
                SELECT previous, body, checksum FROM journal
                WHERE change = ? AND list = ? AND version = ?
                """, to: entry, version: version, of: list, in: head
            ) { row in
                let bytes = try sql.wholeBody(row[1], .change, of: head.key, version: version)
                guard checksum(of: bytes, version: version) == row[2] else {
                    throw StoreError.corrupt(
                        place: "list \(list), version \(version)",
                        reason: "the checksum of its change does not match")
                }
                changes.append(StoredChange(version: version, bytes: bytes))
            }
        }
        changes.reverse()
        return changes
    }

    /// The row of the previous version.
    private func link(
        to change: Int, version: Int, of list: String, in head: Head
    ) throws -> Int {
        // Without the body: SQLite reads a long one even if its bytes are not used.
        try follow(
            "SELECT previous FROM journal WHERE change = ? AND list = ? AND version = ?",
            to: change, version: version, of: list, in: head
        ) { _ in }
    }

    /// Reads a row of the journal, and verifies that it is the expected one.
    ///
    /// - Returns: the row of the previous version.
    private func follow(
        _ statement: StaticString, to change: Int, version: Int, of list: String, in head: Head,
        _ read: (Statements.Row) throws -> Void
    ) throws -> Int {
        let previous: Int? = try sql.first(statement, change, head.key, version) { row in
            try read(row)
            return row[0]
        }
        guard let previous else {
            throw StoreError.corrupt(
                place: "list \(list), version \(version)",
                reason: "its change is not in row \(change) of the journal")
        }
        return previous
    }
}

extension Statements {
    /// The entry of the index of versions for the first version from this one on that has one.
    func landmark(of list: Int, from version: Int) throws -> (version: Int, change: Int)? {
        try first(
            """
            SELECT version, change FROM landmark WHERE list = ? AND version >= ?
            ORDER BY version LIMIT 1
            """, list, version
        ) { ($0[0], $0[1]) }
    }
}
