import Foundation
import GRDB
import Synchronization

/// Keeps the log bounded though reads never cease.
///
/// SQLite copies the log into the file by itself every 4,096 pages (16 MiB) and then starts the
/// log again at its beginning, but only at a moment when no read transaction needs what is in it.
/// Where such moments do not come, the log grows. So beyond a bound the readers are held back until
/// the log is copied; reads that begin afterwards find all they need in the file.
///
/// A copy that fails, even in its sync, fails no commit: the log, which is synced, stays what is
/// read, and the next time all of it is written and synced again. (SQLite does not even report it
/// where it copies by itself.)
final class WriteAheadLog: Sendable {
    private let path: String
    private let boundBytes: Int
    /// The size at which to try (again). Another program's read transaction can make an attempt
    /// useless; then the log has to grow by a quarter before the next.
    private let nextAttemptBytes: Mutex<Int>

    init(databasePath: String, boundBytes: Int) {
        path = databasePath + "-wal"
        self.boundBytes = boundBytes
        nextAttemptBytes = Mutex(boundBytes)
    }

    /// To be called by the writer after a commit. The file shrinks to the bound
    /// (`journal_size_limit`) when the log starts again, so a longer file is a longer log.
    func keepBounded(by database: Database, readers: ReaderPool) {
        let bytes = sizeBytes
        nextAttemptBytes.withLock { next in
            guard bytes > next else {
                if bytes <= boundBytes { next = boundBytes }
                return
            }
            next = bytes + bytes / 4
            // Passive, for it waits for nobody: another program's reader must not stop commits.
            readers.withoutReaders { _ = try? database.checkpoint(.passive) }
        }
    }

    var sizeBytes: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
