import Foundation
import GRDB
import ReorderStore

/// Why a backup failed. The incomplete copy is removed.
package enum SQLiteBackupError: Error, Sendable {
    /// The source can't be opened, or is not a store.
    case source(reason: String)
    /// The destination already exists or can't be created.
    case destination(reason: String)
    /// Reading or writing failed.
    case copying(reason: String)
    /// The copy can't be opened as a store.
    case damaged(reason: String)
}

/// Copies a store's file, even while a server writes to it.
///
/// The copy is marked as a backup: the first server that uses it begins a new epoch.
///
/// The source is opened read-only and read in one transaction, so the copy is of one moment. It
/// takes none of the store's locks and never checkpoints, because a read-only connection can't. The
/// server can write meanwhile. But while the transaction is open, the log can't restart from its
/// beginning, so it grows with each commit.
package enum SQLiteBackup {
    /// - Parameters:
    ///   - replaces: whether the copy replaces an existing file, atomically.
    ///   - progress: called repeatedly with the number of copied pages and their total.
    package static func copy(
        from source: String, to destination: String, replaces: Bool = false,
        progress: @escaping (_ pages: Int, _ total: Int) -> Void
    ) throws(SQLiteBackupError) {
        var status = stat()
        if lstat(destination, &status) == 0 {
            guard replaces else { throw .destination(reason: "\(destination) already exists") }
            guard status.st_mode & S_IFMT == S_IFREG, !isSameFile(source, destination) else {
                throw .destination(reason: "\(destination) is not a copy that can be replaced")
            }
        }
        guard stat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .source(reason: "\(source): no such file")
        }
        let unfinished = "\(destination).\(UUID().uuidString).partial"
        defer { removeStore(unfinished) }
        let resolved = URL(fileURLWithPath: source).resolvingSymlinksInPath().path
        let files = Files(source: resolved, unfinished: unfinished, destination: destination)
        let mode = status.st_mode & 0o777
        for isLastAttempt in [false, true] {
            let before = FileState(resolved)
            do throws(SQLiteBackupError) {
                try copyOnce(files, mode: mode, isAlone: before.isAlone, progress: progress)
            } catch {
                // Otherwise what was read is a mixture.
                guard before.isChanged(in: resolved) else { throw error }
            }
            guard before.isChanged(in: resolved) else { break }
            guard !isLastAttempt else {
                throw .copying(
                    reason:
                        "another process changed or replaced \(source) during the copy; try again"
                )
            }
            removeStore(unfinished)
        }
        try publish(unfinished, as: destination, replaces: replaces)
    }

    private struct Files {
        let source: String
        let unfinished: String
        let destination: String
    }

    /// Finds out whether a file was changed while it was read alone, without locks: another process
    /// may have begun to use it, or replaced it.
    private struct FileState {
        /// Whether there was no log. With a log, SQLite's locks keep other processes away.
        let isAlone: Bool
        private let status: stat

        init(_ path: String) {
            var status = stat()
            isAlone = !hasLog(path)
            stat(path, &status)
            self.status = status
        }

        func isChanged(in path: String) -> Bool {
            guard isAlone else { return false }
            var now = stat()
            stat(path, &now)
            return hasLog(path) || now.st_dev != status.st_dev || now.st_ino != status.st_ino
                || now.st_size != status.st_size
                || now.st_mtim.tv_sec != status.st_mtim.tv_sec
                || now.st_mtim.tv_nsec != status.st_mtim.tv_nsec
        }
    }

    private static func copyOnce(
        _ files: Files, mode: mode_t, isAlone: Bool,
        progress: @escaping (_ pages: Int, _ total: Int) -> Void
    ) throws(SQLiteBackupError) {
        let source = files.source
        // Read before the transaction begins, because the copy must include everything that is
        // durable now.
        let mark = try readMark(of: source)
        try checkFiles(of: source, mark)
        let reader = try open(source, isAlone: isAlone)
        try makeFile(files.unfinished, mode: mode)
        do {
            let last = try copyPages(from: reader, to: files.unfinished, progress: progress)
            try reader.close()
            if let durable = mark.change, last < durable {
                throw SQLiteBackupError.damaged(
                    reason: "\(source) has lost its newest changes: change \(durable) was stored, "
                        + "\(last) is the last one found")
            }
        } catch let error as SQLiteBackupError {
            throw error
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            throw .copying(reason: "the disk of \(files.destination) is full")
        } catch {
            throw .copying(reason: storeError(error, at: source).reason)
        }
        try makeBackup(files.unfinished)
    }

    /// Verifies that a copy can be opened, and marks it as a backup.
    private static func makeBackup(_ unfinished: String) throws(SQLiteBackupError) {
        do throws(StoreError) {
            // The copy of a store in use is complete without a log.
            let store = try SQLiteListStore(path: unfinished, readers: 1, needsLog: false)
            _ = try store.summaries(after: nil, limit: 1)
            try store.markAsBackup()
            try store.close()
        } catch {
            if case .unavailable(let reason) = error { throw .copying(reason: reason) }
            throw .damaged(reason: "the copy can't be opened: \(error.reason)")
        }
    }

    private static func hasLog(_ path: String) -> Bool { access(path + "-wal", F_OK) == 0 }

    /// Whether two names are those of one file.
    static func isSameFile(_ path: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return stat(path, &first) == 0 && stat(other, &second) == 0
            && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    static func open(
        _ path: String, isAlone: Bool
    ) throws(SQLiteBackupError) -> DatabaseQueue {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(10)
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 0")
            }
            // Without a log, no program uses the file. SQLite would create a log, and could not in a
            // folder that this process may not write to.
            let name = POSIXFileSystem().databaseName(path, isImmutable: isAlone)
            let queue = try DatabaseQueue(path: name, configuration: configuration)
            let application = try queue.read { try Int.fetchOne($0, sql: "PRAGMA application_id") }
            guard application == SQLiteSchema.applicationID else {
                throw StoreError.refused(reason: "\(path) belongs to another application")
            }
            let version = try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
            try SQLiteSchema.check(version: version ?? 0, path: path)
            return queue
        } catch {
            throw .source(reason: openingError(error, at: path).reason)
        }
    }

    /// - Parameter mode: the source's, so that the copy is readable by the same users.
    private static func makeFile(_ path: String, mode: mode_t) throws(SQLiteBackupError) {
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            throw .destination(
                reason: "\(path) can't be created: \(String(cString: strerror(errno)))")
        }
        close(descriptor)
    }

    /// Refuses files that do not belong together.
    static func checkFiles(
        of source: String, _ mark: DurabilityMark.Content
    ) throws(SQLiteBackupError) {
        do throws(StoreError) {
            let group = try FileGroup(path: source, in: POSIXFileSystem())
            try group.expectLog()
            try group.check(mark)
        } catch {
            // Unless a server has just been started or stopped.
            guard try readMark(of: source).openings != mark.openings else {
                throw .damaged(reason: error.reason)
            }
        }
    }

    static func readMark(
        of path: String
    ) throws(SQLiteBackupError) -> DurabilityMark.Content {
        do {
            return try DurabilityMark.content(ofStoreAt: path)
        } catch {
            throw .source(reason: "\(path)-mark can't be read: \(error.localizedDescription)")
        }
    }

    /// - Returns: the last change in the copy.
    private static func copyPages(
        from source: DatabaseQueue, to path: String, progress: @escaping (Int, Int) -> Void
    ) throws -> Int {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            // The copy is published only when it is complete and synced.
            try database.execute(sql: "PRAGMA synchronous = OFF")
        }
        let copy = try DatabaseQueue(path: path, configuration: configuration)
        let last = try source.read { source in
            // Starts the transaction. Otherwise each step would have its own, and the copy would
            // restart with each commit of the server.
            let last = try Int.fetchOne(source, sql: "SELECT max(change) FROM journal") ?? 0
            try copy.writeWithoutTransaction { copy in
                try source.backup(to: copy, pagesPerStep: 1_024) { state in
                    progress(state.completedPageCount, state.totalPageCount)
                }
            }
            return last
        }
        try copy.close()
        return last
    }

    /// Makes a complete file durable and gives it its name, which must be free unless the file
    /// replaces another one.
    private static func publish(
        _ path: String, as destination: String, replaces: Bool
    ) throws(SQLiteBackupError) {
        try sync(path)
        let result = replaces ? rename(path, destination) : link(path, destination)
        guard result == 0 else {
            let reason = String(cString: strerror(errno))
            throw .destination(reason: "\(destination) can't be created: \(reason)")
        }
        try sync(URL(fileURLWithPath: destination).deletingLastPathComponent().path)
    }

    static func sync(_ path: String) throws(SQLiteBackupError) {
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw .copying(reason: "\(path): \(String(cString: strerror(errno)))")
        }
    }

    static func removeStore(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal", "-mark", ".lock"] { unlink(path + suffix) }
    }
}
