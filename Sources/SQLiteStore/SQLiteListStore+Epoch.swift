import GRDB
import ReorderStore

extension SQLiteListStore {
    /// Prepares the store for serving: begins a new epoch if the file is a restored backup, and
    /// reserves disk space.
    ///
    /// - Parameter epoch: the name of a new epoch.
    /// - Returns: whether the file was a backup.
    package func prepareToServe(
        newEpoch epoch: String = StoreEpoch.makeName()
    ) throws(StoreError) -> Bool {
        try keepReserve()
        return try beginEpochAfterRestore(epoch)
    }

    /// - Returns: whether the file was a backup.
    func beginEpochAfterRestore(
        _ epoch: String = StoreEpoch.makeName()
    ) throws(StoreError) -> Bool {
        var isBackup = false
        try withWriter { database in
            isBackup = try Bool.fetchOne(database, sql: "SELECT is_backup FROM origin") ?? false
        }
        if isBackup { try beginEpoch(epoch) }
        return isBackup
    }

    /// Begins a new epoch, durably: entity tags and resume tokens issued before become invalid.
    /// Lists must not be read or written concurrently.
    package func beginEpoch(_ name: String = StoreEpoch.makeName()) throws(StoreError) {
        try withWriter { database in
            try database.execute(
                sql: "UPDATE origin SET epoch = ?, is_backup = 0", arguments: [name])
        }
        setEpoch(name)
    }

    /// Marks the file as a backup. The first server that uses it begins a new epoch.
    func markAsBackup() throws(StoreError) {
        try withWriter { try $0.execute(sql: "UPDATE origin SET is_backup = 1") }
    }

    /// The time of the last change's decision.
    static func readLatestTime(_ database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT at FROM journal ORDER BY change DESC LIMIT 1")
    }

    static func readEpoch(_ database: Database) throws -> String? {
        try String.fetchOne(database, sql: "SELECT epoch FROM origin")
    }
}
