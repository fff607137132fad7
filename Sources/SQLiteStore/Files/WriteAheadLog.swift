import Foundation
import GRDB
import Synchronization

/// Keeps the log bounded even if reads never pause.
///
/// SQLite checkpoints automatically every 4,096 pages (16 MiB) and then restarts the log from its
/// beginning, but only when no read transaction needs the log's content. If such a moment does not
/// occur, the log grows. So beyond a bound, the readers are held back until the log is copied;
/// later reads find everything in the database file.
///
/// A failed checkpoint, even with a failed sync, does not affect any commit: the synced log remains
/// authoritative, and the next checkpoint writes and syncs all of it again. (SQLite does not report
/// failures of automatic checkpoints.)
final class WriteAheadLog: Sendable {
    private let path: String
    private let boundBytes: Int
    /// The log's size at which to try again. Another program's read transaction can make an attempt
    /// useless; then the log has to grow by a quarter before the next.
    private let nextAttemptBytes: Mutex<Int>

    init(databasePath: String, boundBytes: Int) {
        path = databasePath + "-wal"
        self.boundBytes = boundBytes
        nextAttemptBytes = Mutex(boundBytes)
    }

    /// The writer calls it after each commit. The file shrinks to the bound (`journal_size_limit`)
    /// when the log restarts, so a larger file means a longer log.
    func keepBounded(by database: Database, readers: ReaderPool) {
        let bytes = sizeBytes
        nextAttemptBytes.withLock { next in
            guard bytes > next else {
                if bytes <= boundBytes { next = boundBytes }
                return
            }
            next = bytes + bytes / 4
            // Passive, because it does not wait for other programs' readers, which must not stop
            // commits.
            readers.withoutReaders { _ = try? database.checkpoint(.passive) }
        }
    }

    var sizeBytes: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
