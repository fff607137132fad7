import Foundation
import GRDB
import ReorderStore

/// Finds out what is wrong with a store's file. Changes nothing, also while a server uses the file or the
/// disk is full.
package struct FileDiagnosis {
    private let path: String
    private let files = POSIXFileSystem()

    /// - Throws: `refused` if the folder does not exist.
    package init(path: String) throws(StoreError) {
        self.path = try SQLiteListStore.resolve(path, in: files)
    }

    /// What this process, or the user that owns the file, may not write, each with its remedy.
    package var rightsProblems: [String] {
        let owner = FileOwner(of: path)?.user
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let names = ["", "-wal", "-shm", "-mark", "-reserve", ".lock"].map { path + $0 }
        return ([folder] + names).compactMap { name in
            do throws(FileError) {
                try files.checkWritable(name)
            } catch {
                return error.description
            }
            // For example, root has made it.
            guard name != folder, files.size(of: name) != nil,
                FileOwner(of: name)?.user != owner
            else { return nil }
            return "\(name) does not belong to the owner of \(path). "
                + "Run \"chown --reference=\(path) \(name)\" as root"
        }
    }

    /// The free bytes of the disk, if known, and whether they are too few for writes.
    package var space: (freeBytes: Int?, isFull: Bool) {
        let reserve = DiskReserve(databasePath: path, in: files)
        return (reserve.knownFreeBytes, !reserve.hasSpace)
    }

    /// The process that has the file open: its number, or 0 if it is in another container. nil: none has.
    package var openedBy: pid_t? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // SQLite locks some of these bytes while it has the file open. Asking for a lock does not take it.
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        (lock.l_start, lock.l_len) = (0x4000_0002, 510)
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != F_UNLCK else { return nil }
        return max(0, lock.l_pid)
    }

    package struct Content {
        package let format: Int
        /// The time of the newest change, in milliseconds since 1970.
        package let latestTime: Int64?
        /// What SQLite's quick check has found; nil if it did not run.
        package var damage: String?
    }

    /// Reads the file as far as that changes nothing, and checks it if no server uses it.
    ///
    /// - Parameters:
    ///   - isOpen: whether a process has the file open.
    ///   - limitSeconds: the time for the check.
    /// - Returns: nil if the file does not exist, or is empty.
    /// - Throws: `refused` if a server could not open the file.
    package func read(isOpen: Bool, limitSeconds: Double) throws(StoreError) -> Content? {
        // Of the log of a crash, only the next start may read what is in it.
        let hasLog = files.size(of: path + "-wal") != nil
        do {
            try SQLiteBackup.checkFiles(of: path, SQLiteBackup.readMark(of: path))
            guard files.size(of: path) ?? 0 > 0 else { return nil }
            let queue = try SQLiteBackup.open(path, isAlone: !hasLog || !isOpen)
            defer { try? queue.close() }
            var content = try queue.read { database in
                Content(
                    format: try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0,
                    latestTime: try Int64.fetchOne(
                        database, sql: "SELECT at FROM journal ORDER BY change DESC LIMIT 1"))
            }
            if !hasLog, !isOpen { content.damage = try Self.findDamage(queue, limitSeconds) }
            return content
        } catch SQLiteBackupError.source(let reason), SQLiteBackupError.damaged(let reason) {
            throw .refused(reason: reason)
        } catch {
            throw storeError(error, at: path)
        }
    }

    private static func findDamage(
        _ queue: DatabaseQueue, _ limitSeconds: Double
    ) throws -> String {
        let limit = DispatchWorkItem { queue.interrupt() }
        DispatchQueue.global().asyncAfter(deadline: .now() + limitSeconds, execute: limit)
        defer { limit.cancel() }
        do {
            let findings = try queue.read { try String.fetchAll($0, sql: "PRAGMA quick_check(3)") }
            return findings.filter { $0 != "ok" }.joined(separator: "; ")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            return ""
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return error.meaning
        }
    }
}
