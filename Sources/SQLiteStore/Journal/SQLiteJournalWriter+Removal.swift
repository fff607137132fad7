import ReorderStore

/// Removes what is no longer needed.
extension SQLiteJournalWriter {
    /// Prunes changes in one transaction, all or none.
    ///
    /// SQLite reuses the pages that become empty, so the file does not grow beyond its largest
    /// content. It never shrinks by itself.
    ///
    /// - Parameter changes: in the order of their rows, because rows of all lists share pages; the
    ///   changes of each list are then in the order of their versions.
    func prune(_ changes: ArraySlice<PrunableChange>) throws {
        try sql.inTransaction {
            var lists: [Int: (count: Int, last: PrunableChange)] = [:]
            for change in changes {
                lists[change.list] = ((lists[change.list]?.count ?? 0) + 1, change)
                try sql.execute("DELETE FROM journal WHERE change = ?", change.row)
                guard change.version.isMultiple(of: SQLiteSchema.landmarkInterval) else { continue }
                try sql.execute(
                    "DELETE FROM landmark WHERE list = ? AND version = ?", change.list,
                    change.version)
            }
            for (list, (count, last)) in lists.sorted(by: { $0.key < $1.key }) {
                try discard(.change, of: list, before: last.version + 1)
                let updated = try sql.execute(
                    "UPDATE list SET forgotten = ?, oldest = ? WHERE key = ? AND forgotten = ?",
                    last.version, last.nextAt, list, last.version - count)
                guard updated == 1 else {
                    throw StoreError.corrupt(
                        place: "list number \(list)",
                        reason: "its history begins at another version")
                }
            }
        }
    }

    /// Removes lists from the bin in one transaction.
    ///
    /// - Returns: whether there may be more.
    func pruneBin(deletedBefore time: Int64, limit: Int) throws -> Bool {
        try sql.inTransaction {
            let lists: [(key: Int, version: Int)] = try sql.all(
                """
                SELECT list.key, head.version FROM list JOIN head ON head.list = list.key
                WHERE bin_title IS NOT NULL AND deleted_at < ? ORDER BY deleted_at LIMIT ?
                """, time, limit
            ) { ($0[0], $0[1]) }
            for list in lists {
                try removeSnapshots(of: list.key)
                try hide(upTo: list.version - 1, of: list.key)
                try setBin(nil, of: list.key)
            }
            return lists.count == limit
        }
    }

    /// Removes a list's snapshots; long ones step by step, when the store is tidied.
    func removeSnapshots(of list: Int) throws {
        try sql.execute("DELETE FROM snapshot WHERE list = ?", list)
        try discard(.snapshot, of: list, before: .max)
    }

    func hasLeftovers() throws -> Bool {
        try sql.value(
            """
            SELECT EXISTS (SELECT 1 FROM staging) OR EXISTS (SELECT 1 FROM staged_task)
                OR EXISTS (SELECT 1 FROM long_body WHERE list = 0)
            """) ?? false
    }

    /// Does some of the work that large appends and removals have left, in one transaction.
    func tidy(_ limits: StepLimits) throws -> LargeStep? {
        var endsStaging = false
        let step: LargeStep? = try sql.inTransaction {
            if let count = try mergeStaged(limit: limits.rows) {
                return LargeStep(kind: .merge, rows: count)
            }
            if hasStaging {
                // All of them are in the index.
                try sql.execute("DELETE FROM staging")
                endsStaging = true
                return nil
            }
            return try removePiece() ? LargeStep(kind: .remove, bytes: limits.bytes) : nil
        }
        if endsStaging { hasStaging = false }
        return step
    }
}
