import ReorderStore

/// A task, and the slot of its list after a large append. The slot `removed` means that the task is
/// in no list.
struct StagedTask {
    var id: String
    var slot: Int

    static let removed = 0
}

/// Writes the index of tasks.
extension SQLiteJournalWriter {
    func insertTasks(_ ids: [String], into list: Int) throws {
        for id in ids {
            try settle(id)
            let isNew = try sql.execute(
                "INSERT INTO task (id, list) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", id, list)
            guard isNew == 0 else { continue }
            guard try sql.value("SELECT list FROM task WHERE id = ?", id) == list else {
                throw StoreError.taskTaken(id: id)
            }
        }
    }

    func deleteTasks(_ ids: [String], from list: Int) throws {
        for id in ids {
            try settle(id)
            try sql.execute("DELETE FROM task WHERE id = ? AND list = ?", id, list)
        }
    }

    func deleteAllTasks(from list: Int) throws {
        if hasStaging {
            // Staged changes are not deleted, because they replace rows of the index that may
            // belong to another list.
            try sql.execute(
                """
                UPDATE staged_task SET slot = ?
                WHERE slot IN (SELECT slot FROM staging WHERE list = ?)
                """, StagedTask.removed, list)
        }
        try sql.execute("DELETE FROM task WHERE list = ?", list)
    }

    /// Moves a task's staged change into the index.
    private func settle(_ id: String) throws {
        guard hasStaging else { return }
        let staged: Int? = try sql.value(
            """
            SELECT staging.list FROM staged_task JOIN staging USING (slot)
            WHERE staged_task.id = ?
            """, id)
        guard let list = staged else { return }
        try sql.execute("DELETE FROM staged_task WHERE id = ?", id)
        if list == 0 {
            try sql.execute("DELETE FROM task WHERE id = ?", id)
        } else {
            try sql.execute("INSERT OR REPLACE INTO task (id, list) VALUES (?, ?)", id, list)
        }
    }

    // MARK: Staged changes

    /// Writes changes in one transaction. They are not valid yet.
    func stage(_ changes: [StagedTask]) throws {
        try sql.inTransaction {
            for change in changes {
                try sql.execute(
                    "INSERT INTO staged_task (id, slot) VALUES (?, ?)", change.id, change.slot)
            }
        }
    }

    /// Makes the staged changes valid.
    ///
    /// - Parameter lists: the keys of the slots' lists.
    func validateStaged(_ lists: [Int: Int]) throws {
        for (slot, list) in lists.merging([StagedTask.removed: 0], uniquingKeysWith: { $1 }) {
            try sql.execute("INSERT INTO staging (slot, list) VALUES (?, ?)", slot, list)
        }
    }

    /// Moves some valid changes into the index, or removes some that are not valid.
    ///
    /// - Returns: the number of these changes; nil if no change was staged.
    func mergeStaged(limit: Int) throws -> Int? {
        let found: (last: String?, count: Int)? = try sql.first(
            "SELECT max(id), count(*) FROM (SELECT id FROM staged_task ORDER BY id LIMIT ?)", limit
        ) { ($0[0], $0[1]) }
        guard let found, let last = found.last else { return nil }
        if hasStaging {
            try sql.execute(
                """
                INSERT INTO task (id, list)
                SELECT staged_task.id, staging.list FROM staged_task JOIN staging USING (slot)
                WHERE staged_task.id <= ? AND staging.list <> 0
                ON CONFLICT (id) DO UPDATE SET list = excluded.list
                """, last)
            try sql.execute(
                """
                DELETE FROM task WHERE id IN (
                    SELECT staged_task.id FROM staged_task JOIN staging USING (slot)
                    WHERE staged_task.id <= ? AND staging.list = 0)
                """, last)
        }
        try sql.execute("DELETE FROM staged_task WHERE id <= ?", last)
        return found.count
    }
}
