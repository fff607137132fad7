import GRDB
import ReorderStore

/// Writes the index of tasks; used only when tasks are created, deleted or moved to another list.
struct TaskWriter {
    private let insertTask: PreparedStatement
    private let findTask: PreparedStatement
    private let deleteTask: PreparedStatement
    private let deleteAllTasks: PreparedStatement

    init(_ database: Database) throws {
        insertTask = try PreparedStatement(
            database, "INSERT INTO task (id, list) VALUES (?, ?) ON CONFLICT (id) DO NOTHING")
        findTask = try PreparedStatement(database, "SELECT list FROM task WHERE id = ?")
        deleteTask = try PreparedStatement(
            database, "DELETE FROM task WHERE id = ? AND list = ?")
        deleteAllTasks = try PreparedStatement(database, "DELETE FROM task WHERE list = ?")
    }

    func insert(_ ids: [String], into list: Int) throws {
        for id in ids {
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
            try deleteTask.bind(id, at: 1)
            try deleteTask.bind(list, at: 2)
            try deleteTask.execute()
        }
    }

    func deleteAll(from list: Int) throws {
        try deleteAllTasks.bind(list, at: 1)
        try deleteAllTasks.execute()
    }
}
