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

    // MARK: The last change

    /// The last change known to have been durable; nil if unknown.
    var change: Int? { read(Change(0))?.number }

    /// Call it after the sync. A failure is harmless: the mark then reveals less.
    func advance(to change: Int) {
        withUnsafeBytes(of: Change(change)) { _ = file.write($0) }
    }

    // MARK: The database

    /// The openings that the database may have; nil if unknown.
    var openings: [Int]? { read(Content.empty)?.openings.values }

    /// Records the database's opening.
    ///
    /// - Parameter former: the opening that the database may still have.
    func record(opening: Int, orFormer former: Int) {
        write(Openings(current: Int64(opening), former: Int64(former)))
    }

    /// Forgets the database's opening.
    func forgetOpening() { write(Openings()) }

    /// Makes the file durable.
    ///
    /// - Returns: false if that failed.
    func sync() -> Bool { (try? files.rewrite(path)) != nil }

    /// Call it after the database is closed.
    func removeWithLog() {
        if files.size(of: logPath) == nil { files.remove(path) }
    }

    // MARK: Other processes

    /// The mark of a store that another process may use.
    struct Reading {
        /// The last change known to have been durable; nil if unknown.
        var change: Int?
        /// The openings that the database may have; nil if unknown.
        var openings: [Int]?

        /// Does not create the file.
        ///
        /// - Throws: if this process may not read the file.
        init(ofStoreAt databasePath: String) throws {
            let file = URL(fileURLWithPath: DurabilityMark.path(of: databasePath))
            guard FileManager.default.fileExists(atPath: file.path) else { return }
            let bytes = try Data(contentsOf: file)
            change = Self.decode(Change(0), from: bytes)?.number
            openings = Self.decode(Content.empty, from: bytes)?.openings.values
        }

        private static func decode<Value: BitwiseCopyable>(
            _ value: Value, from bytes: Data
        ) -> Value? {
            var value = value
            let count = withUnsafeMutableBytes(of: &value) { bytes.copyBytes(to: $0) }
            return count == MemoryLayout<Value>.size ? value : nil
        }
    }

    // MARK: Bytes

    private func read<Value: BitwiseCopyable>(_ value: Value) -> Value? {
        var value = value
        return withUnsafeMutableBytes(of: &value) { file.read(into: $0) } ? value : nil
    }

    private func write(_ openings: Openings) {
        withUnsafeBytes(of: Content(change: Change(change ?? 0), openings)) { _ = file.write($0) }
    }

    private struct Change: BitwiseCopyable {
        private let change: Int64
        /// Distinguishes a valid number from other bytes.
        private let complement: Int64

        init(_ number: Int) {
            change = Int64(number)
            complement = ~change
        }

        /// nil if it is invalid.
        var number: Int? { complement == ~change && change >= 0 ? Int(change) : nil }
    }

    private struct Openings: BitwiseCopyable {
        var current: Int64 = 0
        var former: Int64 = 0
        private var sum: Int64

        init(current: Int64 = 0, former: Int64 = 0) {
            (self.current, self.former) = (current, former)
            sum = ~(current ^ former)
        }

        /// nil if they are invalid.
        var values: [Int]? {
            sum == ~(current ^ former) && current != 0 ? [Int(current), Int(former)] : nil
        }
    }

    /// The whole file. Files of earlier versions end after the change.
    private struct Content: BitwiseCopyable {
        let change: Change
        let openings: Openings

        static var empty: Content { Content(change: Change(0), Openings()) }

        init(change: Change, _ openings: Openings) {
            (self.change, self.openings) = (change, openings)
        }
    }
}
