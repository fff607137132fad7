import ReorderStore

/// Reads the lists in the bin, without their content.
extension SQLiteJournalReader {
    func deletedLists(after list: String?, limit: Int) throws -> [BinEntry] {
        try sql.all(
            """
            SELECT id, bin_title, bin_count, head.version, deleted_at
            FROM list JOIN head ON head.list = list.key
            WHERE bin_title IS NOT NULL AND id > ? ORDER BY id LIMIT ?
            """, list ?? "", limit, row: deletedList)
    }

    func deletedList(_ id: String) throws -> BinEntry? {
        try sql.first(
            """
            SELECT id, bin_title, bin_count, head.version, deleted_at
            FROM list JOIN head ON head.list = list.key
            WHERE bin_title IS NOT NULL AND id = ?
            """, id, row: deletedList)
    }

    /// Whether a list was deleted before a time.
    func hasList(deletedBefore time: Int64) throws -> Bool {
        try sql.value(
            """
            SELECT EXISTS (SELECT 1 FROM list WHERE bin_title IS NOT NULL AND deleted_at < ?)
            """, time) ?? false
    }

    private func deletedList(_ row: Statements.Row) -> BinEntry {
        BinEntry(
            id: row[0], title: row[1], count: row[2], version: row[3], deletedAt: row[4])
    }
}
