import Foundation
import GRDB
import ReorderStore
import Synchronization

/// Lists in one SQLite file, with a write-ahead log (`-wal`, `-shm`, `-mark`) and a lock (`.lock`)
/// beside it.
///
/// One connection writes, a few others read. GRDB's `DatabasePool` offers that too, but it closes
/// the writer before the readers, so the last reader checkpoints. With the SQLite of Debian 12
/// (3.40.1), two connections that checkpoint at the same time can damage the file. Here the readers
/// close first, and only the writer changes the file. The writer can also hold the readers back for
/// a moment. Otherwise the log would grow for as long as reads overlap.
package final class SQLiteListStore: ListStore {
    // In the order in which they are released if `close` is not called.
    private let readers: ReaderPool
    private let writer: SQLiteConnection<SQLiteJournalWriter>
    private let lock: StoreLock

    let path: String
    let files: any FileSystem
    let reserve: DiskReserve
    /// Whether the store is served, and so has a reserve file. A command that reads a file must not
    /// leave other files beside it.
    let isReserving = Mutex(false)
    let log: WriteAheadLog
    /// The size beyond which a commit is written in many transactions, and their size.
    let large: LargeCommit
    let steps: StepLimits
    /// Called after each transaction of a large append, without the writer.
    let onStep: @Sendable (LargeStep) -> Void
    /// Held during a large append, and while the work that it has left is completed.
    let isAppendingLarge = Mutex(())
    let mark: DurabilityMark
    let pruning = Mutex(PruningPass())
    private let currentEpoch: Mutex<String>
    /// The failure after which no write is accepted.
    private let loss = Mutex<StoreError?>(nil)

    /// Opens or creates a file. Its directory must exist.
    ///
    /// The cost does not depend on the file's size, except after a crash, when the log is read (at
    /// most about `logBytes`).
    ///
    /// - Parameters:
    ///   - readers: the number of connections for reading, at least 1.
    ///   - logBytes: the bound of the write-ahead log. It can be exceeded by what is written during
    ///     one read (including a read transaction of another program), and by one commit.
    ///   - large: the size beyond which a commit does not delay those of other lists.
    ///   - steps: bounds each transaction of a large commit.
    ///   - onStep: called after each of these transactions.
    ///   - newEpoch: the name of the store's first epoch, if the file has none yet.
    ///   - needsLog: whether a file that lacks its log is refused; one with hard links always is.
    ///   - files: the file system.
    /// - Throws: `refused` if another process uses the file, this process may not write it, a newer
    ///   version wrote it, another file's log is beside it, or it belongs to another application or
    ///   is not a database; `corrupt` if it is damaged, or was copied without its log.
    package init(
        path: String, readers: Int = 8, logBytes: Int = 64 << 20,
        large: LargeCommit = LargeCommit(), steps: StepLimits = StepLimits(),
        onStep: @escaping @Sendable (LargeStep) -> Void = { _ in },
        newEpoch: String = StoreEpoch.makeName(), needsLog: Bool = true,
        files: any FileSystem = POSIXFileSystem()
    ) throws(StoreError) {
        Self.countsNoMemory
        let path = try Self.resolve(path, in: files)
        self.files = files
        self.large = large
        self.steps = steps
        self.onStep = onStep
        self.path = path
        let group = try FileGroup(path: path, in: files)
        lock = try StoreLock(databasePath: path, in: files)
        log = WriteAheadLog(databasePath: path, boundBytes: logBytes, in: files)
        if needsLog || files.hasOtherNames(path) { try group.expectLog() }
        mark = try DurabilityMark(databasePath: path, in: files)
        reserve = DiskReserve(databasePath: path, in: files)
        // Opening a file and its log needs space too.
        if reserve.freeBytes < reserve.byteCount / 2 { reserve.release() }
        do {
            try group.check(mark.content)
            try files.checkWritable(path + "-shm")
            try log.makeDurable()
            let name = files.databaseName(path)
            let queue = try DatabaseQueue(path: name, configuration: Self.writing(with: log))
            var before = 0
            writer = try SQLiteConnection(queue) { sql in
                before = try SQLiteSchema.prepare(sql.database, path: path, newEpoch: newEpoch)
                return try SQLiteJournalWriter(sql)
            }
            convertedFormat = (1..<Self.format).contains(before) ? before : nil
            self.readers = ReaderPool(
                try (0..<max(1, readers)).map { _ in
                    try SQLiteConnection(DatabaseQueue(path: name, configuration: Self.reading)) {
                        SQLiteJournalReader(sql: $0)
                    }
                })
            latestTime =
                try writer.use {
                    try $0.sql.value("SELECT at FROM journal ORDER BY change DESC LIMIT 1")
                } ?? nil
            trustedTime =
                try writer.use { try $0.sql.value("SELECT trusted FROM origin") } ?? nil
            let epoch: String? =
                try writer.use { try $0.sql.value("SELECT epoch FROM origin") } ?? nil
            currentEpoch = Mutex(epoch ?? newEpoch)
            try checkCompleteness()
            try syncDirectory()
        } catch {
            throw openingError(error, at: path)
        }
    }

    /// Makes the names of the store's files durable.
    ///
    /// A synced log is lost in a power cut if its name is not durable. SQLite syncs the directory
    /// with the first commit, but ignores a failure. Therefore the store syncs it before.
    private func syncDirectory() throws(StoreError) {
        do {
            try files.syncDirectory(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        } catch {
            throw .refused(reason: error.description)
        }
    }

    /// Verifies that no durable change is missing.
    private func checkCompleteness() throws {
        guard let durable = mark.content.change,
            let last = try writer.use({ $0.lastChange }), last < durable
        else { return }
        // Closing would checkpoint the damaged log, which must stay unchanged for a repair.
        writer.abandon()
        throw StoreError.refused(
            reason: "\(path) has lost its newest changes: change \(durable) was stored, \(last) is "
                + "the last one found. Run \"reorderd restore\" if it is a copy, or else remove "
                + "\(mark.path) to continue without the lost changes")
    }

    /// The version of the file format that this program writes.
    package static var format: Int { SQLiteSchema.version }
    /// The version from which the file was converted when it was opened; nil if it was not.
    package let convertedFormat: Int?

    package let latestTime: Int64?
    package let trustedTime: Int64?

    package var epoch: String { currentEpoch.withLock(\.self) }

    func setEpoch(_ name: String) { currentEpoch.withLock { $0 = name } }

    package func load(_ list: String) throws(StoreError) -> LoadedList? {
        try read { try $0.load(list) }
    }

    package func lists(containing tasks: [String]) throws(StoreError) -> [String: String] {
        try read { try $0.holders(of: tasks) }
    }

    package func summaries(after list: String?, limit: Int) throws(StoreError) -> [IndexedList] {
        try read { try $0.summaries(after: list, limit: limit) }
    }

    package func changes(of list: String, after version: Int, limit: Int)
        throws(StoreError) -> [StoredChange]?
    {
        try read { try $0.changes(of: list, after: version, limit: limit) }
    }

    package func prunedVersion(of list: String) throws(StoreError) -> Int {
        try read { try $0.prunedVersion(of: list) }
    }

    package func journal(
        after position: Int, limit: Int
    ) throws(StoreError) -> [JournalEntry]? {
        try read { try $0.journal(after: position, limit: limit) }
    }

    package func lastPosition() throws(StoreError) -> Int {
        try read { try $0.lastPosition() }
    }

    package func heads(after list: String?, limit: Int) throws(StoreError) -> [ListHead] {
        try read { try $0.heads(after: list, limit: limit) }
    }

    package func responses(
        to keys: [StoredResponseKey]
    ) throws(StoreError) -> [StoredResponseKey: StoredResponse] {
        try read { try $0.responses(to: keys) }
    }

    package func removeResponses(expiredAt time: Int64, limit: Int) throws(StoreError) -> Bool {
        // A reader checks first, so that commits wait only if a response has expired.
        guard try read({ try $0.hasExpiredResponses(at: time) }) else { return false }
        var hasMore = false
        do throws(StoreError) {
            try write(needing: .removal) {
                hasMore = try $0.removeResponses(expiredAt: time, limit: limit)
            }
        } catch {
            // Fewer if the disk is full, like changes: the log needs space first.
            guard case .unavailable = error, limit > 1 else { throw error }
            return try removeResponses(expiredAt: time, limit: limit / 2)
        }
        return hasMore
    }

    package func deletedLists(after list: String?, limit: Int) throws(StoreError) -> [BinEntry] {
        try read { try $0.deletedLists(after: list, limit: limit) }
    }

    package func deletedList(_ list: String, withContent: Bool) throws(StoreError) -> BinEntry? {
        try read { try withContent ? $0.deletedListWithContent(list) : $0.deletedList(list) }
    }

    package func validSnapshots(of list: String) throws(StoreError) -> [StoredSnapshot] {
        try read { try $0.snapshots(of: list, validOnly: true) }
    }

    package func snapshots(of list: String) throws(StoreError) -> [StoredSnapshot] {
        try read { try $0.snapshots(of: list) }
    }

    package func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        guard !commits.isEmpty || !responses.isEmpty else { return }
        // Responses beside deletions, such as the service's probe, are small.
        let addsContent = commits.contains { $0.stateAfter != .deleted } || commits.isEmpty
        let need = addsContent ? SpaceNeed.content : .removal
        if try isLarge(commits) {
            return try appendLarge(
                commits, responses: responses, need, beforeVisible: beforeVisible)
        }
        beforeVisible()
        try write(needing: need) { journal in
            try journal.append(commits, responses: responses)
            mark.advance(to: journal.lastChange)
        }
    }

    private func isLarge(_ commits: [ListCommit]) throws(StoreError) -> Bool {
        for commit in commits {
            let count =
                commit.stateAfter == .deleted ? try read { try $0.count(of: commit.list) } : 0
            if large.isExceeded(by: commit, deleting: count) { return true }
        }
        return large.ofAppend.isExceeded(by: commits)
    }

    func write(
        needing need: SpaceNeed, _ body: (SQLiteJournalWriter) throws -> Void
    ) throws(StoreError) {
        if let loss = loss.withLock({ $0 }) { throw loss }
        try withWriter { journal in
            try withSpace(for: need, journal.sql) { try body(journal) }
            try log.keepBounded(by: journal.sql.database, readers: readers)
        }
    }

    /// Converts an error. If it is a failed sync, records it as `loss`.
    private func recorded(_ error: any Error) -> StoreError {
        let error = storeError(error, at: path)
        guard case .lost = error else { return error }
        // The unwritten data may be missing on the disk, although the kernel now considers it
        // written. No later sync can be trusted, and the log must not be copied.
        let isFirst = loss.withLock { loss in
            defer { loss = error }
            return loss == nil
        }
        if isFirst { writer.abandon() }
        return error
    }

    package func checkFiles() throws(StoreError) {
        guard isReserving.withLock({ $0 }), loss.withLock({ $0 }) == nil else { return }
        try expectOwnFile(orElse: writer.abandon)
    }

    package func close() throws(StoreError) {
        do {
            try readers.close()
            if loss.withLock({ $0 }) == nil {
                try expectOwnFile(orElse: writer.abandon)
                let isMarked = try markAsClosed()
                try writer.close()
                // If the file is still marked as open, the mark shows that no log is missing.
                if isMarked { mark.removeWithLog() }
                lock.release()
            }
        } catch {
            throw storeError(error, at: path)
        }
    }

    /// Runs without concurrent reads.
    func withoutReaders(_ body: () throws -> Void) rethrows {
        try readers.withoutReaders(body)
    }

    /// Runs with exclusive access to the writer's connection; commits wait.
    @discardableResult
    func withWriter<Value>(
        _ body: (SQLiteJournalWriter) throws -> Value
    ) throws(StoreError) -> Value {
        do {
            guard let value = try writer.use(body) else {
                throw StoreError.unavailable(reason: "the store is closed")
            }
            return value
        } catch {
            throw recorded(error)
        }
    }

    func read<Value>(_ body: (SQLiteJournalReader) throws -> Value) throws(StoreError)
        -> Value
    {
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
