import ReorderStore

/// Reads the journal in the order of its rows. A change's row is its position.
extension SQLiteJournalReader {
    func lastPosition() throws -> Int { try sql.lastChange() }

    func journal(after position: Int, limit: Int) throws -> [JournalEntry]? {
        let entries = try sql.all(
            """
            SELECT journal.change, journal.list, list.id, journal.version, journal.body,
                journal.checksum, list.hidden
            FROM journal JOIN list ON list.key = journal.list
            WHERE journal.change > ? ORDER BY journal.change LIMIT ?
            """, position, limit, row: entry)
        return try entries.withoutGap(after: position, last: lastPosition())
    }

    /// A change that can't be read keeps no other list's changes from readers.
    private func entry(_ row: Statements.Row) -> JournalEntry {
        let version: Int = row[3]
        var entry = JournalEntry(
            position: row[0], list: row[2], change: StoredChange(version: version, bytes: []))
        guard version > row[6] else { return entry }
        let bytes = try? sql.wholeBody(row[4], .change, of: row[1], version: version)
        if let bytes, checksum(of: bytes, version: version) == row[5] {
            entry.change.bytes = bytes
        } else {
            entry.isUnreadable = true
        }
        return entry
    }

    func heads(after list: String?, limit: Int) throws -> [ListHead] {
        try sql.all(
            """
            SELECT list.id, head.version, list.title IS NOT NULL, head.change
            FROM list JOIN head ON head.list = list.key
            WHERE list.id > ? ORDER BY list.id LIMIT ?
            """, list ?? "", limit
        ) { ListHead(list: $0[0], version: $0[1], exists: $0[2], position: $0[3]) }
    }
}
