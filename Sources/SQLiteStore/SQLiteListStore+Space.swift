import GRDB
import ReorderStore

/// Whether a write adds or frees space.
enum SpaceNeed {
    /// The write adds content.
    case content
    /// The write frees space, and may use the last free space for that.
    case removal
}

/// Disk space: see `DiskReserve`.
extension SQLiteListStore {
    package var usage: StoreUsage {
        StoreUsage(
            sizeBytes: (files.size(of: path) ?? 0) + log.sizeBytes,
            freeBytes: reserve.knownFreeBytes)
    }

    /// Keeps a reserve from now on, for a store that is served.
    func keepReserve() throws(StoreError) {
        isReserving.withLock { $0 = true }
        try withWriter { try updateReserve($0.sql) }
    }

    /// Executes a write. If it finds no space, and releasing the reserve frees some, repeats the
    /// write.
    func withSpace(
        for need: SpaceNeed, _ sql: Statements, _ body: () throws -> Void
    ) throws {
        try checkSpace(for: need, sql)
        do {
            try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            guard reserve.release() || need == .removal else { throw error }
            // If the log is not emptied, the second attempt fails too.
            try emptyLog(sql)
            reserve.make()
            try checkSpace(for: need, sql)
            try body()
        }
        try updateReserve(sql)
    }

    /// Without the reserve, only writes that free space are accepted, unless the file has enough
    /// free pages.
    private func checkSpace(for need: SpaceNeed, _ sql: Statements) throws {
        guard isReserving.withLock(\.self), need == .content, !reserve.isHeld,
            !reserve.hasSpace
        else { return }
        let freePages = try sql.value("PRAGMA freelist_count") ?? 0
        guard freePages * Self.pageBytes < reserve.byteCount else { return }
        throw StoreError.unavailable(
            reason: "\(path): the disk is full; free disk space, or delete lists")
    }

    /// Maintains the reserve after a write.
    private func updateReserve(_ sql: Statements) throws {
        guard isReserving.withLock(\.self) else { return }
        if reserve.isShort, log.sizeBytes > reserve.byteCount / 2 {
            try emptyLog(sql)
            if log.sizeBytes > reserve.byteCount / 2, reserve.release() { try emptyLog(sql) }
        }
        guard !reserve.isHeld else { return }
        // The log uses space that the next write may need.
        if !reserve.hasSpace, log.sizeBytes > 0 { try emptyLog(sql) }
        reserve.make()
    }

    /// Copies the log into the database, and truncates it.
    func emptyLog(_ sql: Statements) throws {
        try withoutReaders { try log.checkpoint(.truncate, by: sql.database) }
    }

    private static let pageBytes = 4_096
}
