import Foundation
import ReorderStore

/// Records, outside the database and its log, the last change that was durable, and to which
/// database the log belongs.
///
/// SQLite treats a truncated or damaged log like one that a crash left unfinished, and continues
/// with the content before the damage. Acknowledged changes would be lost silently. The number of
/// the last change in this file reveals the loss. It is written after the log is synced, and is
/// never synced itself. So after a power cut the number may be too low, and reveal less, but it is
/// never too high.
///
/// SQLite also applies a log to any database that has the right name. Therefore each opening of the
/// store has a random name, which is in the database (`origin.opening`) and here.
///
/// The file exists as long as the log exists. A store that was closed properly has neither.
final class DurabilityMark: Sendable {
    let path: String
    private let logPath: String
    private let files: any FileSystem
    private let file: any StoreFile

    init(databasePath: String, in files: any FileSystem) throws(StoreError) {
        path = Self.path(of: databasePath)
        logPath = databasePath + "-wal"
        self.files = files
        do {
            file = try files.open(path, mode: 0o644, like: databasePath)
        } catch {
            throw .refused(reason: error.description)
        }
    }

    private static func path(of databasePath: String) -> String { databasePath + "-mark" }

    /// The file. Its end is missing in files of earlier versions; zeros are invalid.
    struct Content: BitwiseCopyable {
        fileprivate var last: Int64 = 0
        /// Distinguishes a valid number from other bytes, like `sum`.
        fileprivate var complement: Int64 = 0
        fileprivate var current: Int64 = 0
        fileprivate var former: Int64 = 0
        fileprivate var sum: Int64 = 0

        /// The last change known to have been durable; nil if unknown.
        var change: Int? { complement == ~last && last >= 0 ? Int(last) : nil }

        /// The openings that the database may have; nil if unknown.
        var openings: [Int]? {
            sum == ~(current ^ former) && current != 0 ? [Int(current), Int(former)] : nil
        }
    }

    var content: Content {
        var content = Content()
        withUnsafeMutableBytes(of: &content) { file.read(into: $0) }
        return content
    }

    /// Reads the mark of a store that another process may use; does not create it.
    ///
    /// - Throws: if this process may not read the file.
    static func content(ofStoreAt databasePath: String) throws -> Content {
        var content = Content()
        let file = path(of: databasePath)
        guard FileManager.default.fileExists(atPath: file) else { return content }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        withUnsafeMutableBytes(of: &content) { _ = bytes.copyBytes(to: $0) }
        return content
    }

    /// Call it after the sync. A failure is harmless: the mark then reveals less.
    func advance(to change: Int) {
        let change = Int64(change)
        withUnsafeBytes(of: (change, ~change)) { _ = file.write($0) }
    }

    /// Records the database's opening.
    ///
    /// - Parameter former: the opening that the database may still have.
    func record(opening: Int, orFormer former: Int) {
        var content = content
        (content.current, content.former) = (Int64(opening), Int64(former))
        content.sum = ~(content.current ^ content.former)
        withUnsafeBytes(of: content) { _ = file.write($0) }
    }

    /// Makes the file durable.
    ///
    /// - Returns: false if that failed.
    func sync() -> Bool { (try? files.rewrite(path)) != nil }

    /// Call it after the database is closed.
    func removeWithLog() {
        if files.size(of: logPath) == nil { files.remove(path) }
    }
}
