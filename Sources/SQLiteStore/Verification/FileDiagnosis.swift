import Foundation
import GRDB
import ReorderStore

/// What is wrong with a store's file. It changes nothing, and works also while a server uses the file
/// and while the disk is full.
package struct FileDiagnosis {
    /// Without symbolic links.
    package let path: String
    private let files = POSIXFileSystem()

    /// - Throws: `refused` if the folder does not exist.
    package init(path: String) throws(StoreError) {
        self.path = try SQLiteListStore.resolve(path, in: POSIXFileSystem())
    }

    package var sizeBytes: Int? { files.size(of: path) }
    /// nil if the file has no log.
    package var logBytes: Int? { files.size(of: path + "-wal") }
    private var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    // MARK: Rights

    /// What this process may not write, each with a remedy.
    package var denials: [String] {
        ([folder] + Self.names.map { path + $0 }).compactMap { path in
            do throws(FileError) {
                try files.checkWritable(path)
                return nil
            } catch {
                return error.description
            }
        }
    }

    /// Files beside the store's file that belong to another user, for example because root made them.
    package var filesOfOthers: [String] {
        guard sizeBytes != nil, let owner = FileOwner(of: path) else { return [] }
        return Self.names.map { path + $0 }.filter {
            files.size(of: $0) != nil && FileOwner(of: $0)?.user != owner.user
        }
    }

    /// The number of the user that owns the file, or its folder.
    package var owner: uid_t? { FileOwner(of: path)?.user }

    private static let names = ["", "-wal", "-shm", "-mark", ".lock"]

    // MARK: The process and the disk

    /// The process that has the file open, found by SQLite's lock: its number, or 0 if it is in another
    /// container; nil if there is none.
    package var openedBy: pid_t? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The bytes that each connection locks while it is open. Asking does not lock them.
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        (lock.l_start, lock.l_len) = (0x4000_0002, 510)
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != F_UNLCK else { return nil }
        return max(0, lock.l_pid)
    }

    /// - Returns: the free bytes, or nil; whether writes are refused or will soon be; whether the server already
    ///   keeps its log small.
    package var space: (freeBytes: Int?, isFull: Bool, isShort: Bool) {
        let reserve = DiskReserve(databasePath: path, in: files)
        return (reserve.knownFreeBytes, !reserve.hasSpace, reserve.isShort)
    }

    /// The kind of the folder's file system, such as `ext4` or `nfs4`; nil if unknown.
    package var fileSystem: String? {
        guard let mounts = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
        else { return nil }
        // `36 35 98:0 / /mnt rw,noatime master:1 - ext4 /dev/root rw`. Of two mounts at a place, the last counts.
        var found: (place: Substring, kind: Substring)?
        for line in mounts.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 6, let end = words.lastIndex(of: "-"), end + 1 < words.count,
                "\(folder)/".hasPrefix(words[4] == "/" ? "/" : "\(words[4])/"),
                words[4].count >= found?.place.count ?? 0
            else { continue }
            found = (words[4], words[end + 1])
        }
        return found.map { String($0.kind) }
    }

    // MARK: The content

    package struct Content {
        package var format: Int
        /// The time of the newest change, in milliseconds since 1970.
        package var latestTime: Int64?
        /// The tokens that were made over HTTP.
        package var tokens: [[UInt8]]
        package var quickCheck = QuickCheck.notRun
    }

    /// SQLite's quick check.
    package enum QuickCheck {
        case notRun, notEnded
        case found([String])
    }

    /// Reads the file. A log that was left may only be read by the next start: then the file is read alone, and
    /// not checked.
    ///
    /// - Parameters:
    ///   - isOpen: whether a process has the file open.
    ///   - limitSeconds: the time for the quick check.
    /// - Returns: nil if the file does not exist or is empty.
    /// - Throws: if a server could not use the file.
    package func read(
        isOpen: Bool, limitSeconds: Double
    ) throws(SQLiteBackupError) -> Content? {
        let mark = try SQLiteBackup.readMark(of: path)
        try SQLiteBackup.checkFiles(of: path, mark)
        guard sizeBytes ?? 0 > 0 else { return nil }
        let isAlone = logBytes == nil
        let queue = try SQLiteBackup.open(path, isAlone: isAlone || !isOpen)
        defer { try? queue.close() }
        do {
            var content = try queue.read { try Self.content($0) }
            guard isAlone || isOpen else { return content }
            try SQLiteBackup.expect(mark, last: queue.read(SQLiteBackup.lastChange), path)
            content.quickCheck = try Self.check(queue, limitSeconds)
            return content
        } catch let error as SQLiteBackupError {
            throw error
        } catch {
            throw .copying(reason: storeError(error, at: path).reason)
        }
    }

    private static func content(_ database: Database) throws -> Content {
        let format = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let tokens =
            format == SQLiteSchema.version
            ? try Data.fetchAll(database, sql: "SELECT body FROM token") : []
        return Content(
            format: format,
            latestTime: try Int64.fetchOne(
                database, sql: "SELECT at FROM journal ORDER BY change DESC LIMIT 1"),
            tokens: tokens.map(Array.init))
    }

    private static func check(_ queue: DatabaseQueue, _ limitSeconds: Double) throws -> QuickCheck {
        let limit = DispatchWorkItem { queue.interrupt() }
        DispatchQueue.global().asyncAfter(deadline: .now() + limitSeconds, execute: limit)
        defer { limit.cancel() }
        do {
            let findings = try queue.read { try String.fetchAll($0, sql: "PRAGMA quick_check(3)") }
            return .found(findings.filter { $0 != "ok" })
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            return .notEnded
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return .found([error.meaning])
        }
    }
}
