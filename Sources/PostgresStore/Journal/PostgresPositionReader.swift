import ReorderStore

/// Reads the changes of all lists in the order of their positions.
enum PostgresPositionReader {
    static func entries(
        after position: Int, limit: Int, over connection: PostgresConnection
    ) throws(PostgresError) -> [JournalEntry]? {
        let results = try connection.readOneMoment([
            findLast(), findChanges(.int(max(0, position)), .int(limit)),
        ])
        let rows = results[1]
        let entries = rows.indices.map { row in
            JournalEntry(
                position: rows.int(row, 0), list: rows.text(row, 1),
                change: StoredChange(version: rows.int(row, 2), bytes: rows.bytes(row, 3)))
        }
        return entries.withoutGap(after: position, last: results[0].int(0, 0))
    }

    static func lastPosition(
        over connection: PostgresConnection
    ) throws(PostgresError) -> Int {
        try connection.read([findLast()])[0].int(0, 0)
    }

    static func heads(
        after list: String?, limit: Int, over connection: PostgresConnection
    ) throws(PostgresError) -> [ListHead] {
        let rows = try connection.read([findHeads(.text(list ?? ""), .int(limit))])[0]
        return rows.indices.map { row in
            ListHead(
                list: rows.text(row, 0), version: rows.int(row, 1), exists: rows.bool(row, 2),
                position: rows.int(row, 3))
        }
    }

    // MARK: Statements

    private static let findLast = Statement(
        "find-last-position", "SELECT position FROM reorderd.schema_version WHERE version = 0")

    private static let findChanges = Statement(
        "find-changes-by-position",
        """
        SELECT position, list, change.version,
            CASE WHEN change.version > list.hidden THEN body ELSE ''::bytea END
        FROM reorderd.change JOIN reorderd.list ON list.id = change.list
        WHERE position > $1 AND position > 0 ORDER BY position LIMIT $2
        """)

    private static let findHeads = Statement(
        "find-heads",
        """
        SELECT id, list.version, title IS NOT NULL, change.position
        FROM reorderd.list
        JOIN reorderd.change ON change.list = list.id AND change.version = list.version
        WHERE id > $1 ORDER BY id LIMIT $2
        """)
}
