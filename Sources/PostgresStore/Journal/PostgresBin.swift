import ReorderStore

/// Reads and removes the lists in the bin.
enum PostgresBin {
    // MARK: Reading

    static func lists(
        after list: String?, limit: Int, over connection: PostgresConnection
    ) throws(PostgresError) -> [BinEntry] {
        let rows = try connection.read([findLists(.text(list ?? ""), .int(limit))])[0]
        return rows.indices.map { deletedList(rows, $0) }
    }

    static func list(
        _ id: String, withContent: Bool, over connection: PostgresConnection
    ) throws(PostgresError) -> BinEntry? {
        guard withContent else {
            let rows = try connection.read([findList(.text(id))])[0]
            return rows.count > 0 ? deletedList(rows, 0) : nil
        }
        let (results, content) = try PostgresJournalReader.content(
            of: id, with: findList(.text(id)), over: connection)
        guard results.count > 0 else { return nil }
        var list = deletedList(results, 0)
        guard var content, content.snapshotVersion < list.version else {
            throw .corrupt(place: "list \(id)", reason: "it is in the bin without a snapshot")
        }
        guard content.snapshotVersion + content.changes.count == list.version else {
            throw .corrupt(
                place: "list \(id), version \(list.version)", reason: "its change is missing")
        }
        // The last one is the deletion.
        content.changes.removeLast()
        list.content = content
        return list
    }

    private static func deletedList(_ rows: ResultRows, _ row: Int) -> BinEntry {
        BinEntry(
            id: rows.text(row, 0), title: String(decoding: rows.bytes(row, 1), as: UTF8.self),
            count: rows.int(row, 2), version: rows.int(row, 3),
            deletedAt: Int64(rows.int(row, 4)))
    }

    // MARK: Removing

    /// - Parameter eachAlone: whether each row is locked by its own statement.
    /// - Returns: whether there may be more.
    static func removeLists(
        deletedBefore time: Int64, limit: Int, eachAlone: Bool,
        over connection: PostgresConnection
    ) throws(PostgresError) -> Bool {
        let found = try connection.run([findOld(.int(Int(time)), .int(limit))])[0]
        guard found.count > 0 else { return false }
        let old = found.indices.map { found.text($0, 0) }.sorted(by: LockedState.precedesInBytes)
        // Locked first: a list that was restored meanwhile keeps its snapshots.
        let locks = (eachAlone ? old.map { [$0] } : [old]).map {
            lockOld(.texts($0), .int(Int(time)))
        }
        let locked = try connection.run([Statement.begin()] + locks).dropFirst()
        let gone = locked.flatMap { rows in rows.indices.map { rows.text($0, 0) } }
        try connection.run([
            deleteSnapshots(.texts(gone)), updateLists(.texts(gone)), Statement.commit(),
        ])
        return found.count == limit
    }

    // MARK: Statements

    /// The columns of a list in the bin. Servers of the version before do not know the bin. If one of
    /// them changes such a list, the list has a title or no snapshot.
    private static let columns = """
        SELECT id, bin_title, bin_count, version, deleted_at FROM reorderd.list
        WHERE bin_title IS NOT NULL AND title IS NULL AND snapshot > 0
        """

    private static let findLists = Statement(
        "find-lists-in-bin", "\(columns) AND id > $1 ORDER BY id LIMIT $2")

    private static let findList = Statement("find-list-in-bin", "\(columns) AND id = $1")

    private static let findOld = Statement(
        "find-old-lists-in-bin",
        """
        SELECT id FROM reorderd.list
        WHERE bin_title IS NOT NULL AND title IS NULL AND deleted_at < $1
        ORDER BY deleted_at LIMIT $2
        """)

    private static let lockOld = Statement(
        "lock-old-lists-in-bin",
        """
        SELECT id FROM reorderd.list
        WHERE id = ANY($1::text[]) AND bin_title IS NOT NULL AND title IS NULL AND deleted_at < $2
        ORDER BY id FOR UPDATE
        """)

    private static let deleteSnapshots = Statement(
        "delete-snapshots-in-bin", "DELETE FROM reorderd.snapshot WHERE list = ANY($1::text[])")

    private static let updateLists = Statement(
        "update-lists-in-bin",
        """
        UPDATE reorderd.list SET bin_title = NULL, bin_count = 0, deleted_at = 0,
            snapshot = 0, earlier = 0, snapshot_bytes = 0, hidden = version - 1
        WHERE id = ANY($1::text[])
        """)
}
