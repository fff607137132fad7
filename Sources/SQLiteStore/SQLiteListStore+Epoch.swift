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
        let isBackup = try beginEpochAfterRestore(epoch)
        try markAsOpen()
        return isBackup
    }

    /// Call it before the first write.
    ///
    /// - Returns: whether the file was a backup.
    @discardableResult
    package func beginEpochAfterRestore(
        _ epoch: String = StoreEpoch.makeName()
    ) throws(StoreError) -> Bool {
        var isBackup = false
        try withWriter { database in
            isBackup = try FileUse.read(database) == .backup
        }
        if isBackup { try beginEpoch(epoch) }
        return isBackup
    }

    /// Begins a new epoch, durably: entity tags and resume tokens issued before become invalid.
    /// Lists must not be read or written concurrently.
    package func beginEpoch(_ name: String = StoreEpoch.makeName()) throws(StoreError) {
        try withWriter { database in
            try database.inTransaction {
                try database.execute(sql: "UPDATE origin SET epoch = ?", arguments: [name])
                try FileUse.closed.write(database)
                return .commit
            }
            // From now on, the file itself shows that it is no backup: see `FileGroup.checkLog`.
            try emptyLog(database)
        }
        setEpoch(name)
    }

    /// Marks the file as a backup. The first server that uses it begins a new epoch.
    func markAsBackup() throws(StoreError) {
        try withWriter { try FileUse.backup.write($0) }
    }

    /// Marks the file as one that needs its log, if there is space for that.
    private func markAsOpen() throws(StoreError) {
        do {
            try withWriter { database in
                guard try FileUse.read(database) == .closed else { return }
                try FileUse.open.write(database)
                try emptyLog(database)
            }
        } catch {
            guard case .unavailable = error else { throw error }
        }
    }

    /// Marks the file as one that needs no log.
    ///
    /// - Returns: false if there is no space for that, or the store is closed.
    func markAsClosed() throws(StoreError) -> Bool {
        do {
            try withWriter { database in
                if try FileUse.read(database) == .open { try FileUse.closed.write(database) }
            }
            return true
        } catch {
            guard case .unavailable = error else { throw error }
            return false
        }
    }

    /// The time of the last change's decision.
    static func readLatestTime(_ database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT at FROM journal ORDER BY change DESC LIMIT 1")
    }

    static func readEpoch(_ database: Database) throws -> String? {
        try String.fetchOne(database, sql: "SELECT epoch FROM origin")
    }
}
