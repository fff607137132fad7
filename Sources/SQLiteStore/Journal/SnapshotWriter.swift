import GRDB
import ReorderStore

/// Writes the newest two snapshots of each list.
struct SnapshotWriter {
    private let insertSnapshot: PreparedStatement
    private let deleteEarlier: PreparedStatement
    private let deleteAllSnapshots: PreparedStatement
    private let findFirst: PreparedStatement

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
        findFirst = try PreparedStatement(
            database, "SELECT min(version) FROM snapshot WHERE list = ?")
    }

    /// Writes snapshots that are newer than the existing ones; the newest two are kept.
    ///
    /// - Parameter longBody: returns the snapshot of a version if it is in pieces.
    func write(
        _ snapshots: [StoredSnapshot], of list: Int, longBody: (_ version: Int) -> LongBody?
    ) throws {
        guard !snapshots.isEmpty else { return }
        for snapshot in snapshots {
            try insertSnapshot.bind(list, at: 1)
            try insertSnapshot.bind(snapshot.version, at: 2)
            let long = longBody(snapshot.version)
            let checksum =
                long?.checksum ?? checksum(of: snapshot.bytes, version: snapshot.version)
            try insertSnapshot.bind(checksum, at: 3)
            try insertSnapshot.execute(long == nil ? snapshot.bytes : [], at: 4)
        }
        try deleteEarlier.bind(list, at: 1)
        try deleteEarlier.execute()
    }

    func firstVersion(of list: Int) throws -> Int {
        try findFirst.bind(list, at: 1)
        defer { findFirst.reset() }
        return try findFirst.step() ? findFirst.integer(0) : 0
    }

    func deleteAll(of list: Int) throws {
        try deleteAllSnapshots.bind(list, at: 1)
        try deleteAllSnapshots.execute()
    }
}
