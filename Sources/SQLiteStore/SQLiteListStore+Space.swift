import GRDB
import ReorderStore

/// What a write needs room for.
enum SpaceNeed {
    /// What is to stay.
    case content
    /// What takes something away: that may use the last of the room.
    case removal
}

/// Room on the disk: see `DiskReserve`.
extension SQLiteListStore {
    /// Keeps a reserve on the disk from now on. For a store that is served.
    func keepReserve() throws(StoreError) {
        isReserving.withLock { $0 = true }
        try withWriter { updateReserve($0) }
    }

    /// Runs a write, once more where it found no room and the reserve made some.
    func withRoom(
        for need: SpaceNeed, _ database: Database, _ body: () throws -> Void
    ) throws {
        try checkRoom(for: need, database)
        do {
            try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            guard reserve.release() || need == .removal else { throw error }
            // Where that fails, so does the second try.
            try? emptyLog(database)
            reserve.make()
            try checkRoom(for: need, database)
            try body()
        }
        updateReserve(database)
    }

    /// Without the reserve there is only room for what takes something away, unless the file itself has
    /// enough free pages.
    private func checkRoom(for need: SpaceNeed, _ database: Database) throws {
        guard isReserving.withLock(\.self), need == .content, !reserve.isHeld,
            reserve.byteCount > 0, !reserve.hasRoom
        else { return }
        let freePages = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        guard freePages * Self.pageBytes < reserve.byteCount else { return }
        throw StoreError.unavailable(
            reason: "\(path): the disk is full. Make room on it, or delete lists")
    }

    /// After a write.
    private func updateReserve(_ database: Database) {
        guard isReserving.withLock(\.self) else { return }
        // Where room is short, the log stays small enough for the database to grow by it into the
        // room of the reserve, and gives its own room back.
        if reserve.freeBytes < 8 * reserve.byteCount, log.sizeBytes > reserve.byteCount / 2 {
            try? emptyLog(database)
            if log.sizeBytes > reserve.byteCount / 2, reserve.release() { try? emptyLog(database) }
        }
        guard !reserve.isHeld else { return }
        // The log takes room that the next write may need.
        if !reserve.hasRoom, log.sizeBytes > 0 { try? emptyLog(database) }
        reserve.make()
    }

    /// Copies the log into the database, and gives its room back.
    private func emptyLog(_ database: Database) throws {
        try withoutReaders { _ = try database.checkpoint(.truncate) }
    }

    private static let pageBytes = 4_096
}
