import ReorderStore

/// Records, outside the database and its log, the last change that was durable.
///
/// SQLite treats a truncated or damaged log like one that a crash left unfinished, and continues
/// with the content before the damage. Acknowledged changes would be lost silently. The number in
/// this file reveals the loss. It is written after the log is synced, and is never synced itself.
/// So after a power cut the number may be too low, and reveal less, but it is never too high.
///
/// The file exists as long as the log exists. A store that was closed properly has neither.
final class DurabilityMark: Sendable {
    let path: String
    private let logPath: String
    private let files: any FileSystem
    private let file: any StoreFile

    init(databasePath: String, in files: any FileSystem) throws(StoreError) {
        path = databasePath + "-mark"
        logPath = databasePath + "-wal"
        self.files = files
        do {
            file = try files.open(path, mode: 0o644, like: databasePath)
        } catch {
            throw .refused(reason: error.description)
        }
    }

    /// The last change known to have been durable; nil if unknown.
    var change: Int? {
        var mark = Content(change: 0)
        guard withUnsafeMutableBytes(of: &mark, { file.read(into: $0) }), mark.isValid else {
            return nil
        }
        return Int(mark.change)
    }

    /// Call it after the sync. A failure is harmless: the mark then reveals less.
    func advance(to change: Int) {
        withUnsafeBytes(of: Content(change: Int64(change))) { _ = file.write($0) }
    }

    /// Call it after the database is closed.
    func removeWithLog() {
        if files.size(of: logPath) == nil { files.remove(path) }
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
