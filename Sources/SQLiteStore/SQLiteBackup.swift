import Foundation
import GRDB
import ReorderStore

/// Why a store's file was not copied; nothing is left of the copy.
package enum SQLiteBackupError: Error, Sendable {
    /// What is to be copied can't be opened, or is no store.
    case source(reason: String)
    /// The copy is there already, or can't be made where it is to be.
    case destination(reason: String)
    /// Reading or writing failed.
    case copying(reason: String)
    /// The copy does not open.
    case damaged(reason: String)
}

/// Copies a store's file, also while a server writes to it.
///
/// The copy is marked as a backup: the server that first serves it begins a new epoch.
///
/// The source is opened for reading only, and read in one transaction, so that the copy is of one
/// moment however long it takes. It takes no lock of the store's and never copies the log into the
/// file: a connection that only reads can't. While the transaction is open the writer goes on, but
/// its log can't start again at its beginning, so it grows by what is written meanwhile.
package enum SQLiteBackup {
    /// - Parameter progress: called now and then with how many pages of how many are copied.
    package static func copy(
        from source: String, to destination: String,
        progress: @escaping (_ pages: Int, _ total: Int) -> Void
    ) throws(SQLiteBackupError) {
        var status = stat()
        guard lstat(destination, &status) != 0 else {
            throw .destination(reason: "\(destination) is there already")
        }
        guard stat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .source(reason: "\(source): there is no such file")
        }
        let unfinished = "\(destination).\(UUID().uuidString).partial"
        defer { removeStore(unfinished) }
        // Before the transaction begins: what is durable now has to be in it.
        let durable = try durableChange(of: source)
        let reader = try open(source)
        try makeFile(unfinished, mode: status.st_mode & 0o777)
        do {
            let last = try copyPages(from: reader, to: unfinished, progress: progress)
            try reader.close()
            guard last >= durable else {
                throw SQLiteBackupError.damaged(
                    reason: "\(source) has lost its newest changes: number \(durable) was stored, "
                        + "\(last) is the last one there")
            }
        } catch let error as SQLiteBackupError {
            throw error
        } catch {
            throw .copying(reason: storeError(error, at: source).reason)
        }
        do throws(StoreError) {
            let store = try SQLiteListStore(path: unfinished, readers: 1)
            _ = try store.summaries(after: nil, limit: 1)
            try store.markAsBackup()
            try store.close()
        } catch {
            throw .damaged(reason: "the copy can't be opened: \(error.reason)")
        }
        try publish(unfinished, as: destination)
    }

    private static func open(_ path: String) throws(SQLiteBackupError) -> DatabaseQueue {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(10)
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 0")
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let application = try queue.read { try Int.fetchOne($0, sql: "PRAGMA application_id") }
            guard application == Schema.applicationID else {
                throw StoreError.refused(reason: "\(path) belongs to another application")
            }
            let version = try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
            try Schema.check(version: version ?? 0, path: path)
            return queue
        } catch {
            throw .source(reason: openingError(error, at: path).reason)
        }
    }

    /// - Parameter mode: the source's: who may not read that may not read the copy.
    private static func makeFile(_ path: String, mode: mode_t) throws(SQLiteBackupError) {
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            throw .destination(reason: "\(path) can't be made: \(String(cString: strerror(errno)))")
        }
        close(descriptor)
    }

    /// The last change that the store knows to be durable; 0 where it does not tell.
    private static func durableChange(of path: String) throws(SQLiteBackupError) -> Int {
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        // A store that was closed well has no mark, and is to get none.
        guard access(path + "-mark", F_OK) == 0 else { return 0 }
        do {
            return try DurabilityMark(databasePath: path).change ?? 0
        } catch {
            throw .source(reason: error.reason)
        }
    }

    /// - Returns: the last change that the copy holds.
    private static func copyPages(
        from source: DatabaseQueue, to path: String, progress: @escaping (Int, Int) -> Void
    ) throws -> Int {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            // Nobody sees the copy before it is whole and synced.
            try database.execute(sql: "PRAGMA synchronous = OFF")
        }
        let copy = try DatabaseQueue(path: path, configuration: configuration)
        let last = try source.read { source in
            // The transaction begins with its first read; without it, each step would begin its
            // own, and the copy begin anew with each commit of the server.
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

    /// Makes a whole file durable and gives it its name, which must not be taken.
    private static func publish(
        _ path: String, as destination: String
    ) throws(SQLiteBackupError) {
        try sync(path)
        guard link(path, destination) == 0 else {
            let reason = String(cString: strerror(errno))
            throw .destination(reason: "\(destination) can't be made: \(reason)")
        }
        try sync(URL(fileURLWithPath: destination).deletingLastPathComponent().path)
    }

    private static func sync(_ path: String) throws(SQLiteBackupError) {
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw .copying(reason: "\(path): \(String(cString: strerror(errno)))")
        }
    }

    private static func removeStore(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal", "-mark", ".lock"] { unlink(path + suffix) }
    }
}
