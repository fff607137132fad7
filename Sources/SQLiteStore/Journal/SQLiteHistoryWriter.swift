import GRDB
import ReorderStore

/// Prunes the oldest changes of lists.
///
/// SQLite reuses the pages that become empty, so the file does not grow beyond its largest content.
/// It never shrinks by itself.
struct SQLiteHistoryWriter {
    private let updateList: PreparedStatement
    private let deleteChange: PreparedStatement
    private let deleteLandmark: PreparedStatement

    init(_ database: Database) throws {
        updateList = try PreparedStatement(
            database,
            "UPDATE list SET forgotten = ?2, oldest = ?3 WHERE key = ?1 AND forgotten = ?4")
        deleteChange = try PreparedStatement(database, "DELETE FROM journal WHERE change = ?")
        deleteLandmark = try PreparedStatement(
            database, "DELETE FROM landmark WHERE list = ? AND version = ?")
    }

    /// - Parameter changes: in the order of their rows, because rows of all lists share pages; the
    ///   changes of each list are then in the order of their versions.
    func remove(_ changes: ArraySlice<PrunableChange>, _ bodies: LongBodyWriter) throws {
        var lists: [Int: (count: Int, last: PrunableChange)] = [:]
        for change in changes {
            lists[change.list] = ((lists[change.list]?.count ?? 0) + 1, change)
            try deleteChange.bind(change.row, at: 1)
            try deleteChange.execute()
            guard change.version.isMultiple(of: SQLiteSchema.landmarkInterval) else { continue }
            try deleteLandmark.bind(change.list, at: 1)
            try deleteLandmark.bind(change.version, at: 2)
            try deleteLandmark.execute()
        }
        for (list, (count, last)) in lists.sorted(by: { $0.key < $1.key }) {
            try bodies.discard(.change, of: list, before: last.version + 1)
            try updateList.bind(list, at: 1)
            try updateList.bind(last.version, at: 2)
            try updateList.bind(last.nextAt, at: 3)
            try updateList.bind(last.version - count, at: 4)
            try updateList.execute()
            guard updateList.changedRows == 1 else {
                throw StoreError.corrupt(
                    place: "list number \(list)", reason: "its history begins at another version")
            }
        }
    }
}
