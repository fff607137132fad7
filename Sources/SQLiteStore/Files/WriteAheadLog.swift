import GRDB
import ReorderStore
import Synchronization

/// Keeps the log bounded even if reads never pause.
///
/// From 4,096 pages (16 MiB) on, each commit is followed by a checkpoint. Then SQLite restarts the
/// log from its beginning, but only when no read transaction needs the log's content. If such a
/// moment does not occur, the log grows. So beyond a bound, the readers are held back until the log
/// is copied; later reads find everything in the database file.
///
/// A failed checkpoint does not affect any commit, because the synced log remains authoritative.
/// But after a failed sync of the database, no further checkpoint may follow in this process. An
/// earlier checkpoint may have copied only a part of the log, without a sync; SQLite would not copy
/// that part again, although the failed sync has lost it. SQLite ignores failures of its automatic
/// checkpoints, so these are off.
final class WriteAheadLog: Sendable {
    private let path: String
    private let boundBytes: Int
    /// The log's size from which on it is copied into the database after each commit.
    let checkpointBytes: Int
    private let files: any FileSystem
    /// The log's size at which to try again. Another program's read transaction can make an attempt
    /// useless; then the log must grow by a quarter before the next attempt.
    private let nextAttemptBytes: Mutex<Int>

    init(databasePath: String, boundBytes: Int, in files: any FileSystem) {
        self.files = files
        path = databasePath + "-wal"
        self.boundBytes = boundBytes
        checkpointBytes = min(boundBytes, 16 << 20)
        nextAttemptBytes = Mutex(boundBytes)
    }

    /// Syncs the log that an earlier process has left. Call it before the log is read.
    ///
    /// If the process was killed between writing a commit and syncing it, or if the sync failed,
    /// the log has a commit that is not durable. A read could return it, and a power cut could then
    /// lose it. SQLite reads a log only up to its first gap, so all later commits would be lost
    /// too.
    func makeDurable() throws(StoreError) {
        do {
            try files.rewrite(path)
        } catch {
            throw .refused(reason: error.description)
        }
    }

    /// The writer calls it after each commit. When the log restarts, its file shrinks to
    /// `checkpointBytes` (`journal_size_limit`). So a larger file means that the log itself is
    /// longer.
    ///
    /// - Throws: if a sync failed.
    func keepBounded(by database: Database, readers: ReaderPool) throws {
        let bytes = sizeBytes
        let isBeyondBound = nextAttemptBytes.withLock { next in
            if bytes <= boundBytes { next = boundBytes }
            guard bytes > next else { return false }
            next = bytes + bytes / 4
            return true
        }
        guard bytes > checkpointBytes else { return }
        // A passive checkpoint does not wait for other programs' readers. They must not delay
        // commits.
        if isBeyondBound {
            try readers.withoutReaders { try checkpoint(.passive, by: database) }
        } else {
            try checkpoint(.passive, by: database)
        }
    }

    /// Copies the log into the database.
    ///
    /// - Throws: only if a sync failed. Other failures have no effect.
    func checkpoint(_ kind: Database.CheckpointMode, by database: Database) throws {
        do {
            _ = try database.checkpoint(kind)
        } catch let error as DatabaseError {
            if error.extendedResultCode == .SQLITE_IOERR_FSYNC { throw error }
        }
    }

    var sizeBytes: Int { files.size(of: path) ?? 0 }
}
