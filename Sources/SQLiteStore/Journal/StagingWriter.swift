import GRDB
import ReorderStore

/// Writes staged changes of the index of tasks, and moves them into the index.
struct StagingWriter {
    private let insertStaged: PreparedStatement
    private let insertSlot: PreparedStatement
    private let findBound: PreparedStatement
    private let mergeInserted: PreparedStatement
    private let mergeRemoved: PreparedStatement
    private let deleteStaged: PreparedStatement
    private let deleteSlots: PreparedStatement

    /// The slot of tasks that are in no list.
    static let removedSlot = 0

    init(_ database: Database) throws {
        insertStaged = try PreparedStatement(
            database, "INSERT INTO staged_task (id, slot) VALUES (?, ?)")
        insertSlot = try PreparedStatement(
            database, "INSERT INTO staging (slot, list) VALUES (?, ?)")
        findBound = try PreparedStatement(
            database,
            """
            SELECT max(id), count(*) FROM (SELECT id FROM staged_task ORDER BY id LIMIT ?)
            """)
        mergeInserted = try PreparedStatement(
            database,
            """
            INSERT INTO task (id, list)
            SELECT staged_task.id, staging.list FROM staged_task JOIN staging USING (slot)
            WHERE staged_task.id <= ? AND staging.list <> 0
            ON CONFLICT (id) DO UPDATE SET list = excluded.list
            """)
        mergeRemoved = try PreparedStatement(
            database,
            """
            DELETE FROM task WHERE id IN (
                SELECT staged_task.id FROM staged_task JOIN staging USING (slot)
                WHERE staged_task.id <= ? AND staging.list = 0)
            """)
        deleteStaged = try PreparedStatement(database, "DELETE FROM staged_task WHERE id <= ?")
        deleteSlots = try PreparedStatement(database, "DELETE FROM staging")
    }

    func insert(_ changes: ArraySlice<StagedTask>) throws {
        for change in changes {
            try insertStaged.bind(change.id, at: 1)
            try insertStaged.bind(change.slot, at: 2)
            try insertStaged.execute()
        }
    }

    /// Makes the staged changes valid.
    ///
    /// - Parameter lists: the keys of the slots' lists.
    func validate(_ lists: [Int: Int]) throws {
        for (slot, list) in lists.merging([Self.removedSlot: 0], uniquingKeysWith: { $1 }) {
            try insertSlot.bind(slot, at: 1)
            try insertSlot.bind(list, at: 2)
            try insertSlot.execute()
        }
    }

    /// Moves some valid changes into the index, or removes some that are not valid.
    ///
    /// - Returns: the number of these changes; nil if no change was staged.
    func merge(isValid: Bool, limit: Int) throws -> Int? {
        try findBound.bind(limit, at: 1)
        guard try findBound.step(), !findBound.isNull(0) else {
            findBound.reset()
            return nil
        }
        let (bound, count) = (findBound.text(0), findBound.integer(1))
        findBound.reset()
        for statement in (isValid ? [mergeInserted, mergeRemoved] : []) + [deleteStaged] {
            try statement.bind(bound, at: 1)
            try statement.execute()
        }
        return count
    }

    /// Ends the validity of staged changes, once all of them are in the index.
    func end() throws { try deleteSlots.execute() }
}

/// A task, and the slot of its list after a large append. The slot `removedSlot` means that the
/// task is in no list.
struct StagedTask {
    var id: String
    var slot: Int
}
