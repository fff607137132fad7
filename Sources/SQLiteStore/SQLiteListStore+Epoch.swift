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
        let isBackup = try withWriter { try FileUse.read($0.sql) == .backup }
        if isBackup { try beginEpoch(epoch) }
        try markAsOpen()
        return isBackup
    }

    /// Begins a new epoch, durably: entity tags and resume tokens issued before become invalid.
    /// Lists must not be read or written concurrently.
    package func beginEpoch(_ name: String = StoreEpoch.makeName()) throws(StoreError) {
        try withWriter { journal in
            // If the file lacks its log, the log does not belong to it any more.
            let opening = mark.content.openings == nil ? Self.newOpening : nil
            try journal.sql.execute(
                "UPDATE origin SET epoch = ?, is_backup = ?, opening = coalesce(?, opening)", name,
                FileUse.closed.rawValue, opening)
            // The file itself shows that it is no backup, also without its log.
            try emptyLog(journal.sql)
        }
        setEpoch(name)
    }

    /// Marks the file as a backup. The first server that uses it begins a new epoch.
    func markAsBackup() throws(StoreError) {
        // The copy does not belong to the log of its source, so it gets another opening.
        try withWriter {
            try $0.sql.execute(
                "UPDATE origin SET is_backup = ?, opening = ?", FileUse.backup.rawValue,
                Self.newOpening)
        }
    }

    /// Marks the file as one that needs its log, and names this opening, if there is space for that.
    ///
    /// The log is empty before and after that: then the file itself has the former or the new name.
    private func markAsOpen() throws(StoreError) {
        do {
            try withWriter { journal in
                let sql = journal.sql
                try emptyLog(sql)
                var opening = try sql.value("SELECT opening FROM origin") ?? 0
                let isEmpty = log.sizeBytes == 0
                if isEmpty {
                    let new = Self.newOpening
                    // A crash may leave either name in the file, so the mark must have both first.
                    mark.record(opening: new, orFormer: opening)
                    if mark.sync() { opening = new }
                }
                try sql.execute(
                    "UPDATE origin SET is_backup = ?, opening = ?", FileUse.open.rawValue, opening)
                try emptyLog(sql)
                // From now on, a file with the former name is a copy.
                if isEmpty, log.sizeBytes == 0 {
                    mark.record(opening: opening, orFormer: opening)
                }
            }
        } catch {
            guard case .unavailable = error else { throw error }
        }
    }

    private static var newOpening: Int { Int.random(in: 1...Int.max) }

    /// Marks the file as one that needs no log.
    ///
    /// - Returns: false if there is no space for that, or the store is closed.
    func markAsClosed() throws(StoreError) -> Bool {
        do {
            try withWriter {
                try $0.sql.execute(
                    "UPDATE origin SET is_backup = ? WHERE is_backup = ?", FileUse.closed.rawValue,
                    FileUse.open.rawValue)
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
            try FileGroup(path: path, in: files).check(mark.content)
        } catch {
            abandon()
            throw error
        }
    }

    package func keep(trustedTime: Int64) throws(StoreError) {
        // On a full disk too: the time is what lets expired content go after the next start.
        try write(needing: .removal) {
            try $0.sql.execute("UPDATE origin SET trusted = ?", trustedTime)
        }
    }
}
