import ReorderStore

/// Reads the lists in the bin, without their content.
extension SQLiteJournalReader {
    func deletedLists(after list: String?, limit: Int) throws -> [DeletedList] {
        try sql.all(
            """
            SELECT bin.id, bin.title, bin.count, head.version, bin.at
            FROM bin CROSS JOIN list ON list.id = bin.id JOIN head ON head.list = list.key
            WHERE bin.id > ? ORDER BY bin.id LIMIT ?
            """, list ?? "", limit, row: deletedList)
    }

    func deletedList(_ id: String) throws -> DeletedList? {
        try sql.first(
            """
            SELECT bin.id, bin.title, bin.count, head.version, bin.at
            FROM bin CROSS JOIN list ON list.id = bin.id JOIN head ON head.list = list.key
            WHERE bin.id = ?
            """, id, row: deletedList)
    }

    /// Whether a list was deleted before a time.
    func hasList(deletedBefore time: Int64) throws -> Bool {
        try sql.value("SELECT EXISTS (SELECT 1 FROM bin WHERE at < ?)", time) ?? false
    }

    private func deletedList(_ row: Statements.Row) -> DeletedList {
        DeletedList(
            id: row[0], title: row[1], count: row[2], version: row[3], deletedAt: row[4])
    }
}
