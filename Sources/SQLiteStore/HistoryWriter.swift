import GRDB
import ReorderStore

/// Removes the oldest changes of lists.
///
/// SQLite gives the pages that become empty to what is written next, so the file does not grow
/// beyond what it once held. It never shrinks by itself.
struct HistoryWriter {
    private let updateList: PreparedStatement
    private let deleteChange: PreparedStatement
    private let deleteLandmarks: PreparedStatement

    init(_ database: Database) throws {
        updateList = try PreparedStatement(
            database,
            "UPDATE list SET forgotten = ?2, oldest = ?3 WHERE key = ?1 AND forgotten = ?4")
        deleteChange = try PreparedStatement(database, "DELETE FROM journal WHERE change = ?")
        deleteLandmarks = try PreparedStatement(
            database, "DELETE FROM landmark WHERE list = ? AND version <= ?")
    }

    func remove(_ oldest: [OldestChanges]) throws {
        for changes in oldest {
            try updateList.bind(changes.list, at: 1)
            try updateList.bind(changes.last, at: 2)
            try updateList.bind(changes.nextAt, at: 3)
            try updateList.bind(changes.last - changes.rows.count, at: 4)
            try updateList.execute()
            guard updateList.changedRows == 1 else {
                throw StoreError.corrupt(
                    place: "list \(changes.list)", reason: "its history begins elsewhere")
            }
            try deleteLandmarks.bind(changes.list, at: 1)
            try deleteLandmarks.bind(changes.last, at: 2)
            try deleteLandmarks.execute()
        }
        // In their order in the file, for rows of all lists share pages.
        for row in oldest.flatMap(\.rows).sorted() {
            try deleteChange.bind(row, at: 1)
            try deleteChange.execute()
        }
    }
}
