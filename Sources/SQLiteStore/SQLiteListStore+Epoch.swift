import GRDB
import ReorderStore

extension SQLiteListStore {
    /// Prepares the store for serving: reserves disk space, and then like `prepareToWrite`.
    ///
    /// - Parameter epoch: the name of a new epoch.
    /// - Returns: whether the file was a backup.
    package func prepareToServe(
        newEpoch epoch: String = StoreEpoch.makeName()
    ) throws(StoreError) -> Bool {
        try keepReserve()
        return try prepareToWrite(newEpoch: epoch)
    }

    /// Begins a new epoch if the file is a restored backup, and marks the file as one that needs its
    /// log. Call it before the first write.
    ///
    /// - Parameter epoch: the name of a new epoch.
    /// - Returns: whether the file was a backup.
    @discardableResult
    package func prepareToWrite(
        newEpoch epoch: String = StoreEpoch.makeName()
    ) throws(StoreError) -> Bool {
        let isBackup = try beginEpochAfterRestore(epoch)
        try markAsOpen()
        return isBackup
    }

    private func beginEpochAfterRestore(_ epoch: String) throws(StoreError) -> Bool {
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
                // If the file lacks its log, the log does not belong to it any more.
                if mark.openings == nil { try renameOpening(database) }
                try FileUse.closed.write(database)
                return .commit
            }
            // The file itself shows that it is no backup, also without its log.
            try emptyLog(database)
        }
        setEpoch(name)
    }

    /// Marks the file as a backup. The first server that uses it begins a new epoch.
    func markAsBackup() throws(StoreError) {
        try withWriter { database in
            try FileUse.backup.write(database)
            // The copy does not belong to the log of its source.
            try renameOpening(database)
        }
    }

    private func renameOpening(_ database: Database) throws {
        try database.execute(sql: "UPDATE origin SET opening = random()")
    }

    /// Marks the file as one that needs its log, and names this opening, if there is space for that.
    ///
    /// The log is empty before and after that: then the file itself has the former or the new name.
    private func markAsOpen() throws(StoreError) {
        do {
            try withWriter { database in
                try emptyLog(database)
                let isEmpty = log.sizeBytes == 0
                try database.inTransaction {
                    try FileUse.open.write(database)
                    if isEmpty { try beginOpening(database) }
                    return .commit
                }
                try emptyLog(database)
                if isEmpty, log.sizeBytes == 0 { try recordOpening(database) }
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

    /// Verifies that no other file was copied over the store's file meanwhile. The log must not be
    /// copied into such a file: the mixture would be opened as if it were complete.
    ///
    /// - Parameter abandon: keeps the log as it is.
    /// - Throws: `refused`.
    func expectOwnFile(orElse abandon: () -> Void) throws(StoreError) {
        do {
            try FileGroup(path: path, in: files).check(
                change: mark.change, openings: mark.openings)
        } catch {
            abandon()
            throw error
        }
    }

    private func beginOpening(_ database: Database) throws {
        let former = try readOpening(database)
        let opening = Int.random(in: 1...Int.max)
        mark.record(opening: opening, orFormer: former)
        // A crash may leave either name in the file, so the mark must have both of them first.
        guard mark.sync() else { return }
        try database.execute(sql: "UPDATE origin SET opening = ?", arguments: [opening])
    }

    /// From now on, a file with the former name is a copy.
    private func recordOpening(_ database: Database) throws {
        let opening = try readOpening(database)
        mark.record(opening: opening, orFormer: opening)
    }

    private func readOpening(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT opening FROM origin") ?? 0
    }

    /// The time of the last change's decision.
    static func readLatestTime(_ database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT at FROM journal ORDER BY change DESC LIMIT 1")
    }

    static func readTrustedTime(_ database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT trusted FROM origin")
    }

    package func keep(trustedTime: Int64) throws(StoreError) {
        // On a full disk too: the time is what lets expired content go after the next start.
        try write(needing: .removal) { _, database in
            try database.execute(sql: "UPDATE origin SET trusted = ?", arguments: [trustedTime])
        }
    }
}
