import GRDB
import ReorderStore

extension SQLiteListStore {
    /// Prepares the store for serving: begins a new epoch if the file is a restored backup, and
    /// reserves disk space.
    ///
    /// - Returns: whether the file was a backup.
    package func prepareToServe() throws(StoreError) -> Bool {
        try keepReserve()
        return try beginEpochAfterRestore()
    }

    /// - Returns: whether the file was a backup.
    func beginEpochAfterRestore() throws(StoreError) -> Bool {
        var isBackup = false
        try withWriter { database in
            isBackup = try Bool.fetchOne(database, sql: "SELECT is_backup FROM origin") ?? false
        }
        if isBackup { try beginEpoch() }
        return isBackup
    }

    /// Begins a new epoch, durably: entity tags and resume tokens issued before become invalid.
    /// Lists must not be read or written concurrently.
    package func beginEpoch() throws(StoreError) {
        let name = StoreEpoch.makeName()
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
