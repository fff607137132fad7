import GRDB
import ReorderStore

extension SQLiteListStore {
    /// Makes the store ready to be served: begins a new epoch if the file is a backup that was put in
    /// its place, and keeps a reserve on the disk.
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

    /// Begins a new epoch, durably: no entity tag or resume token given before is valid any more.
    /// Nobody may be reading or writing lists.
    package func beginEpoch() throws(StoreError) {
        let name = StoreEpoch.makeName()
        try withWriter { database in
            try database.execute(
                sql: "UPDATE origin SET epoch = ?, is_backup = 0", arguments: [name])
        }
        setEpoch(name)
    }

    /// Marks the file as a backup. Whoever serves it begins a new epoch.
    func markAsBackup() throws(StoreError) {
        try withWriter { try $0.execute(sql: "UPDATE origin SET is_backup = 1") }
    }

    /// When the last change was decided.
    static func readLatestTime(_ database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT at FROM journal ORDER BY change DESC LIMIT 1")
    }

    static func readEpoch(_ database: Database) throws -> String? {
        try String.fetchOne(database, sql: "SELECT epoch FROM origin")
    }
}
