import GRDB
import ReorderStore

/// Writes the newest two snapshots of each list.
struct SnapshotWriter {
    private let insertSnapshot: PreparedStatement
    private let deleteEarlier: PreparedStatement
    private let deleteAllSnapshots: PreparedStatement

    init(_ database: Database) throws {
        insertSnapshot = try PreparedStatement(
            database, "INSERT INTO snapshot (list, version, checksum, body) VALUES (?, ?, ?, ?)")
        deleteEarlier = try PreparedStatement(
            database,
            """
            DELETE FROM snapshot WHERE list = ?1 AND version < (
                SELECT version FROM snapshot WHERE list = ?1
                ORDER BY version DESC LIMIT 1 OFFSET 1)
            """)
        deleteAllSnapshots = try PreparedStatement(database, "DELETE FROM snapshot WHERE list = ?")
    }

    /// Writes snapshots that are newer than the existing ones; the newest two are kept.
    func write(_ snapshots: [StoredSnapshot], of list: Int) throws {
        guard !snapshots.isEmpty else { return }
        for snapshot in snapshots {
            try insertSnapshot.bind(list, at: 1)
            try insertSnapshot.bind(snapshot.version, at: 2)
            try insertSnapshot.bind(
                checksum(of: snapshot.bytes, version: snapshot.version), at: 3)
            try insertSnapshot.execute(snapshot.bytes, at: 4)
        }
        try deleteEarlier.bind(list, at: 1)
        try deleteEarlier.execute()
    }

    func deleteAll(of list: Int) throws {
        try deleteAllSnapshots.bind(list, at: 1)
        try deleteAllSnapshots.execute()
    }
}
