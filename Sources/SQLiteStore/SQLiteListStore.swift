import Foundation
import GRDB
import ReorderStore
import Synchronization

/// Lists in one SQLite file, with a write-ahead log beside it (`-wal`, `-shm`, `-mark`) and a lock
/// (`.lock`).
///
/// One connection writes, a few others read. GRDB's `DatabasePool` offers just that, but it closes
/// the writer before the readers, so that a reader is the last to close and copies the log into the
/// file; two connections that do this at once can damage the file with the SQLite of Debian 12
/// (3.40.1). Here readers are queues of their own that close first, and only the writer ever
/// touches the file. It also lets the writer hold the readers back for a moment, without which the
/// log could grow for as long as one read overlaps the next.
package final class SQLiteListStore: ListStore {
    // In this order, for so they are released where `close` was not called.
    private let readers: ReaderPool
    private let writer: Connection<JournalWriter>
    private let lock: StoreLock

    let path: String
    let reserve: DiskReserve
    /// Whether the store is served: a command that looks at a file leaves nothing beside it.
    let isReserving = Mutex(false)
    let log: WriteAheadLog
    private let mark: DurabilityMark
    private let forgetting = Mutex(Forgetting())
    private let currentEpoch = Mutex<String?>(nil)
    /// Why nothing may be written any more.
    private let loss = Mutex<StoreError?>(nil)

    /// Opens or makes a file. Its directory must be there.
    ///
    /// Costs the same however much the file holds, unless a crash left a log to be read (at most
    /// about its bound).
    ///
    /// - Parameters:
    ///   - readers: connections for reading, at least 1: so many reads run at the same time.
    ///   - logBytes: the bound of the write-ahead log. It is exceeded only by what is written while
    ///     one read runs (or another program holds a read transaction open), and by one commit.
    /// - Throws: `refused` where the file is held by another process, is of a newer version, another
    ///   application's or no database; `corrupt` where it is damaged.
    package init(path: String, readers: Int = 8, logBytes: Int = 64 << 20) throws(StoreError) {
        let path = try Self.resolve(path)
        self.path = path
        lock = try StoreLock(databasePath: path)
        log = WriteAheadLog(databasePath: path, boundBytes: logBytes)
        mark = try DurabilityMark(databasePath: path)
        reserve = DiskReserve(databasePath: path)
        // To open a file and its log takes room too.
        if reserve.freeBytes < reserve.byteCount / 2 { reserve.release() }
        do {
            let queue = try DatabaseQueue(path: path, configuration: Self.writing(logBytes))
            writer = try Connection(queue) { database in
                try Schema.prepare(database, path: path)
                return try JournalWriter(database)
            }
            self.readers = ReaderPool(
                try (0..<max(1, readers)).map { _ in
                    try Connection(DatabaseQueue(path: path, configuration: Self.reading)) {
                        try JournalReader($0)
                    }
                })
            latestTime = try writer.use { _, database in try Self.readLatestTime(database) } ?? nil
            try checkCompleteness()
            setEpoch(try writer.use { _, database in try Self.readEpoch(database) } ?? nil)
            try syncDirectory(ofFile: path)
        } catch {
            throw openingError(error, at: path)
        }
    }

    /// Nothing that was durable may be missing.
    private func checkCompleteness() throws {
        guard let durable = mark.change,
            let last = try writer.use({ journal, _ in journal.lastChange }), last < durable
        else { return }
        // Closing would make the log's remains part of the file: they are left for who repairs it.
        writer.abandon()
        throw StoreError.refused(
            reason: "\(path) has lost its newest changes: number \(durable) was stored, \(last) is "
                + "the last one there. Its log, \(path)-wal, is damaged or missing, or the file is "
                + "an older copy. To go on with what is left, remove \(mark.path)")
    }

    package let latestTime: Int64?

    package var epoch: String? { currentEpoch.withLock(\.self) }

    func setEpoch(_ name: String?) { currentEpoch.withLock { $0 = name } }

    package func load(_ list: String) throws(StoreError) -> StoredList? {
        try read { try $0.load(list) }
    }

    package func lists(holding tasks: [String]) throws(StoreError) -> [String: String] {
        try read { try $0.holders(of: tasks) }
    }

    package func summaries(after list: String?, limit: Int) throws(StoreError) -> [ListSummary] {
        try read { try $0.summaries(after: list, limit: limit) }
    }

    package func changes(of list: String, after version: Int, limit: Int)
        throws(StoreError) -> [StoredChange]?
    {
        try read { try $0.changes(of: list, after: version, limit: limit) }
    }

    package func append(
        _ commits: [ListCommit], answers: [StoredAnswer]
    ) throws(StoreError) {
        guard !commits.isEmpty || !answers.isEmpty else { return }
        let isRemoval = answers.isEmpty && commits.allSatisfy { $0.outcome == .deleted }
        try write(needing: isRemoval ? .removal : .content) { journal, database in
            try journal.append(commits, answers: answers, to: database)
            mark.advance(to: journal.lastChange)
        }
    }

    package func answers(
        to keys: [AnswerKey]
    ) throws(StoreError) -> [AnswerKey: StoredAnswer] {
        try read { try $0.answers.answers(to: keys) }
    }

    package func removeAnswers(expiredAt time: Int64, limit: Int) throws(StoreError) -> Bool {
        // Looked at with a reader first, so that commits wait only where there is something to do.
        guard try read({ try $0.answers.hasExpired(at: Int(time)) }) else { return false }
        var goesOn = false
        try write(needing: .removal) { journal, database in
            goesOn = try journal.removeAnswers(expiredAt: Int(time), limit: limit, in: database)
        }
        return goesOn
    }

    package func snapshots(of list: String) throws(StoreError) -> [StoredSnapshot] {
        try read { try $0.snapshots(of: list) }
    }

    package func forgetChanges(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int, limit: Int
    ) throws(StoreError) -> Bool {
        try forgetting.withLock { forgetting throws(StoreError) in
            if !forgetting.isFor(time, future, keepingLast) { forgetting = Forgetting() }
            if forgetting.found.isEmpty {
                try look(olderThan: time, orFrom: future, keepingLast: keepingLast, &forgetting)
            }
            let piece = forgetting.found.prefix(limit)
            if !piece.isEmpty {
                try write(needing: .removal) { journal, database in
                    try journal.forget(piece, in: database)
                }
                forgetting.found.removeFirst(piece.count)
            }
            return !forgetting.found.isEmpty || forgetting.cursor != nil
        }
    }

    /// All the looking happens here, so that a commit waits for the removing only.
    private func look(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int,
        _ forgetting: inout Forgetting
    ) throws(StoreError) {
        var cursor = forgetting.cursor
        forgetting.time = time
        forgetting.future = future
        forgetting.keepingLast = keepingLast
        do throws(StoreError) {
            forgetting.found = try read {
                try $0.history.oldChanges(
                    before: Int(time), orFrom: Int(future), keepingLast: keepingLast,
                    after: &cursor)[...]
            }
        } catch {
            if case .corrupt = error { forgetting.cursor = cursor }
            throw error
        }
        forgetting.cursor = cursor
    }

    /// A pass of forgetting.
    private struct Forgetting {
        /// How far the looking is: the key of a list, or `nil` before the first.
        var cursor: Int?
        /// What goes next, in the order of rows.
        var found: ArraySlice<OldChange> = []
        var time = Int64.min
        var future = Int64.max
        var keepingLast = Int.max

        /// Whether what was found may go by these too.
        func isFor(_ time: Int64, _ future: Int64, _ keepingLast: Int) -> Bool {
            // What was from the future at the last look may go, though time has passed since.
            found.isEmpty
                || (self.time <= time && self.keepingLast >= keepingLast
                    && (future < .max || self.future == .max))
        }
    }

    private func write(
        needing need: SpaceNeed, _ body: (JournalWriter, Database) throws -> Void
    ) throws(StoreError) {
        if let loss = loss.withLock({ $0 }) { throw loss }
        do {
            let done: Void? = try writer.use { journal, database in
                try withRoom(for: need, database) { try body(journal, database) }
                log.keepBounded(by: database, readers: readers)
            }
            guard done != nil else { throw StoreError.unavailable(reason: "the store is closed") }
        } catch {
            let error = storeError(error, at: path)
            if case .lost = error {
                // The log's last frames may or may not be on the disk, though the kernel now takes
                // them for written: no later sync may be trusted, nor may the log be copied.
                loss.withLock { $0 = error }
                writer.abandon()
            }
            throw error
        }
    }

    /// The file's and its log's.
    package var sizeBytes: Int? {
        var bytes = 0
        for file in [path, path + "-wal"] {
            var status = stat()
            if stat(file, &status) == 0 { bytes += Int(status.st_size) }
        }
        return bytes
    }

    package func close() throws(StoreError) {
        do {
            try readers.close()
            if loss.withLock({ $0 }) == nil {
                try writer.close()
                mark.removeWithLog()
                lock.release()
            }
        } catch {
            throw storeError(error, at: path)
        }
    }

    /// Runs while nobody reads.
    func withoutReaders(_ body: () throws -> Void) rethrows {
        try readers.withoutReaders(body)
    }

    /// Has the writer's connection to itself; commits wait.
    func withWriter(_ body: (Database) throws -> Void) throws(StoreError) {
        do {
            let done: Void? = try writer.use { _, database in try body(database) }
            guard done != nil else { throw StoreError.unavailable(reason: "the store is closed") }
        } catch {
            throw storeError(error, at: path)
        }
    }

    private func read<Value>(_ body: (JournalReader) throws -> Value) throws(StoreError) -> Value {
        do {
            guard let value = try readers.read(body) else {
                throw StoreError.unavailable(reason: "the store is closed")
            }
            return value
        } catch {
            throw storeError(error, at: path)
        }
    }
}

// MARK: - Opening

extension SQLiteListStore {
    /// The file's one name, whatever links lead to it: the lock beside it must be the same for all.
    private static func resolve(_ path: String) throws(StoreError) -> String {
        if let known = canonical(path) { return known }
        let url = URL(fileURLWithPath: path)
        guard !path.isEmpty, let directory = canonical(url.deletingLastPathComponent().path) else {
            throw .refused(reason: "\(path): there is no such directory")
        }
        return directory + "/" + url.lastPathComponent
    }

    private static func canonical(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func writing(_ logBytes: Int) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(2)
        // A rollback that fails must not stop the process; the next append tries it again.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA synchronous = FULL;
                    PRAGMA mmap_size = 0;
                    PRAGMA cache_size = -16384;
                    PRAGMA wal_autocheckpoint = 4096;
                    PRAGMA journal_size_limit = \(logBytes);
                    """)
        }
        return configuration
    }

    private static var reading: Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 0")
        }
        return configuration
    }
}
