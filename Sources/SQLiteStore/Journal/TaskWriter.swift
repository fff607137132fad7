import GRDB
import ReorderStore

/// Writes the index of tasks; used only when tasks are created, deleted or moved to another list.
final class TaskWriter {
    /// Whether there are valid staged changes, which replace rows of the index.
    var hasStaging: Bool

    private let insertTask: PreparedStatement
    private let replaceTask: PreparedStatement
    private let findTask: PreparedStatement
    private let deleteTask: PreparedStatement
    private let deleteAnyTask: PreparedStatement
    private let deleteAllTasks: PreparedStatement
    private let findStaged: PreparedStatement
    private let deleteStaged: PreparedStatement
    private let removeAllStaged: PreparedStatement

    init(_ database: Database) throws {
        hasStaging =
            try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM staging)") ?? false
        insertTask = try PreparedStatement(
            database, "INSERT INTO task (id, list) VALUES (?, ?) ON CONFLICT (id) DO NOTHING")
        replaceTask = try PreparedStatement(
            database,
            """
            INSERT INTO task (id, list) VALUES (?, ?)
            ON CONFLICT (id) DO UPDATE SET list = excluded.list
            """)
        findTask = try PreparedStatement(database, "SELECT list FROM task WHERE id = ?")
        deleteTask = try PreparedStatement(
            database, "DELETE FROM task WHERE id = ? AND list = ?")
        deleteAnyTask = try PreparedStatement(database, "DELETE FROM task WHERE id = ?")
        deleteAllTasks = try PreparedStatement(database, "DELETE FROM task WHERE list = ?")
        findStaged = try PreparedStatement(
            database,
            """
            SELECT staging.list FROM staged_task JOIN staging USING (slot)
            WHERE staged_task.id = ?
            """)
        deleteStaged = try PreparedStatement(database, "DELETE FROM staged_task WHERE id = ?")
        removeAllStaged = try PreparedStatement(
            database,
            """
            UPDATE staged_task SET slot = \(StagingWriter.removedSlot)
            WHERE slot IN (SELECT slot FROM staging WHERE list = ?)
            """)
    }

    func insert(_ ids: [String], into list: Int) throws {
        for id in ids {
            try settle(id)
            try insertTask.bind(id, at: 1)
            try insertTask.bind(list, at: 2)
            try insertTask.execute()
            guard insertTask.changedRows == 0 else { continue }
            try findTask.bind(id, at: 1)
            defer { findTask.reset() }
            guard try findTask.step(), findTask.integer(0) == list else {
                throw StoreError.taskTaken(id: id)
            }
        }
    }

    func delete(_ ids: [String], from list: Int) throws {
        for id in ids {
            try settle(id)
            try deleteTask.bind(id, at: 1)
            try deleteTask.bind(list, at: 2)
            try deleteTask.execute()
        }
    }

    func deleteAll(from list: Int) throws {
        if hasStaging {
            // Staged changes are not deleted, because they replace rows of the index that may
            // belong to another list.
            try removeAllStaged.bind(list, at: 1)
            try removeAllStaged.execute()
        }
        try deleteAllTasks.bind(list, at: 1)
        try deleteAllTasks.execute()
    }

    /// Moves a task's staged change into the index.
    private func settle(_ id: String) throws {
        guard hasStaging else { return }
        try findStaged.bind(id, at: 1)
        let isStaged = try findStaged.step()
        let list = isStaged ? findStaged.integer(0) : 0
        findStaged.reset()
        guard isStaged else { return }
        try deleteStaged.bind(id, at: 1)
        try deleteStaged.execute()
        if list == 0 {
            try deleteAnyTask.bind(id, at: 1)
            try deleteAnyTask.execute()
        } else {
            try replaceTask.bind(id, at: 1)
            try replaceTask.bind(list, at: 2)
            try replaceTask.execute()
        }
    }
}
