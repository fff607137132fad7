import Foundation
import ReorderStore

/// Records, outside the database and its log, the last change that was durable.
///
/// SQLite treats a truncated or damaged log like one that a crash left unfinished, and continues
/// with the content before the damage: acknowledged changes would be lost silently. This number
/// detects that. It is written after the sync and never synced itself. After a power cut it may
/// therefore be behind, and detect less, but it is never ahead.
///
/// It exists as long as the log: a store that was closed properly has neither.
final class DurabilityMark: Sendable {
    let path: String
    private let logPath: String
    private let descriptor: Int32

    init(databasePath: String) throws(StoreError) {
        path = databasePath + "-mark"
        logPath = databasePath + "-wal"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw .refused(reason: "\(path) can't be opened: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        close(descriptor)
    }

    /// The last change known to have been durable; nil if unknown.
    var change: Int? {
        var mark = Content(change: 0)
        let size = MemoryLayout<Content>.size
        guard pread(descriptor, &mark, size, 0) == size, mark.isValid else { return nil }
        return Int(mark.change)
    }

    /// Call it after the sync. A failure is harmless: the mark then detects less.
    func advance(to change: Int) {
        var mark = Content(change: Int64(change))
        _ = pwrite(descriptor, &mark, MemoryLayout<Content>.size, 0)
    }

    /// Call it after the database is closed.
    func removeWithLog() {
        if access(logPath, F_OK) != 0 { unlink(path) }
    }

    private struct Content {
        var change: Int64
        /// Distinguishes a valid mark from other bytes.
        var complement: Int64

        init(change: Int64) {
            self.change = change
            complement = ~change
        }

        var isValid: Bool { complement == ~change && change >= 0 }
    }
}
