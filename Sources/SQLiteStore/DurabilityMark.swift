import Foundation
import ReorderStore

/// Remembers, outside the file and its log, up to which change the journal was durable.
///
/// SQLite takes a log that is cut off or damaged for one that a crash left unfinished, and goes on
/// with what stands before the damage: changes that were answered would be gone without a word.
/// This number tells the two apart. It is written after the sync and never synced itself, so after
/// a power failure it may be behind, where it proves less, but it is never ahead.
///
/// It belongs to the log and goes with it: beside a store that was closed well there is neither.
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

    /// The last change that is known to have been durable; `nil` where none is.
    var change: Int? {
        var mark = Content(change: 0)
        let size = MemoryLayout<Content>.size
        guard pread(descriptor, &mark, size, 0) == size, mark.isValid else { return nil }
        return Int(mark.change)
    }

    /// To be called after the sync. That it fails is no harm: the mark then proves less.
    func advance(to change: Int) {
        var mark = Content(change: Int64(change))
        _ = pwrite(descriptor, &mark, MemoryLayout<Content>.size, 0)
    }

    /// To be called once the file is closed.
    func removeWithLog() {
        if access(logPath, F_OK) != 0 { unlink(path) }
    }

    private struct Content {
        var change: Int64
        /// Tells a mark from whatever else is in the file.
        var complement: Int64

        init(change: Int64) {
            self.change = change
            complement = ~change
        }

        var isValid: Bool { complement == ~change && change >= 0 }
    }
}
