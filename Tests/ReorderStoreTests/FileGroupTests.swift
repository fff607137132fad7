import Foundation
import GRDB
import ReorderStore
import Testing

@testable import SQLiteStore

/// Files of different stores, or of different times, under the names of one store.
@Suite struct FileGroupTests {
    static let suffixes = ["", "-wal", "-mark"]

    static func copy(_ path: String, to other: String, _ suffixes: [String]) throws {
        for suffix in suffixes {
            unlink(other + suffix)
            try FileManager.default.copyItem(atPath: path + suffix, toPath: other + suffix)
        }
    }

    static func refusal(opening path: String) -> StoreError? {
        do {
            try SQLiteListStore(path: path).close()
            return nil
        } catch {
            return error
        }
    }

    /// A served store with 100 versions, as a crash leaves it, and a backup of an earlier version.
    func withCrashedStore(
        _ body: (_ path: String, _ backup: String) throws -> Void
    ) throws {
        try withTemporaryDirectory { directory in
            let open = directory.appendingPathComponent("open.db").path
            let crashed = directory.appendingPathComponent("crashed.db").path
            let backup = directory.appendingPathComponent("backup.db").path
            let store = try SQLiteListStore(path: open)
            defer { try? store.close() }
            _ = try store.prepareToServe()
            try store.fill("a", to: 10)
            try SQLiteBackup.copy(from: open, to: backup) { _, _ in }
            for version in 11...100 { try store.append([.exists("a", version)]) }
            try Self.copy(open, to: crashed, Self.suffixes)
            try body(crashed, backup)
        }
    }

    @Test func aBackupBesideAnotherFilesLogIsRefusedAndNothingIsChanged() throws {
        try withCrashedStore { path, backup in
            try Self.copy(backup, to: path, [""])
            let before = try Self.suffixes.map { try Data(contentsOf: URL(filePath: path + $0)) }
            guard case .refused(let reason) = Self.refusal(opening: path) else {
                Issue.record("it was opened")
                return
            }
            #expect(reason.contains("the file that was here before"))
            #expect(reason.contains("reorderd restore"))
            let error = #expect(throws: SQLiteBackupError.self) {
                try SQLiteBackup.copy(from: path, to: path + ".copy") { _, _ in }
            }
            guard case .damaged(let other) = error, other == reason else {
                Issue.record("\(String(describing: error))")
                return
            }
            let after = try Self.suffixes.map { try Data(contentsOf: URL(filePath: path + $0)) }
            #expect(before == after)
            for suffix in ["-wal", "-shm", "-mark"] { unlink(path + suffix) }
            let store = try SQLiteListStore(path: path)
            #expect(try store.load("a")?.version == 10)
            #expect(try store.prepareToServe())
            try store.close()
        }
    }

    /// The mark alone is enough: an administrator may have removed the log.
    @Test func aBackupBesideAnotherFilesMarkIsRefused() throws {
        try withCrashedStore { path, backup in
            try Self.copy(backup, to: path, [""])
            unlink(path + "-wal")
            guard case .refused = Self.refusal(opening: path) else {
                Issue.record("it was opened")
                return
            }
        }
    }

    /// A copy of a stopped store's file, from before the store was opened again.
    @Test func aCopyFromBeforeTheOpeningIsRefused() throws {
        try withTemporaryDirectory { directory in
            let open = directory.appendingPathComponent("open.db").path
            let path = directory.appendingPathComponent("crashed.db").path
            var store = try SQLiteListStore(path: open)
            try store.prepareToWrite()
            try store.fill("a", to: 10)
            try store.close()
            let copy = try Data(contentsOf: URL(filePath: open))
            store = try SQLiteListStore(path: open)
            defer { try? store.close() }
            try store.prepareToWrite()
            try store.append([.exists("a", 11)])
            try Self.copy(open, to: path, Self.suffixes)
            #expect(Self.refusal(opening: path) == nil)
            try Self.copy(open, to: path, Self.suffixes)
            // The log has all changes, so only the file's name shows that it is another one.
            try copy.write(to: URL(filePath: path))
            guard case .refused(let reason) = Self.refusal(opening: path) else {
                Issue.record("it was opened")
                return
            }
            #expect(reason.contains("the file that was here before"))
        }
    }

    /// After a crash while the store was opened, the file has the former name or the new one.
    @Test func aCrashDuringAnOpeningIsRecovered() throws {
        try withTemporaryDirectory { directory in
            let open = directory.appendingPathComponent("open.db").path
            let path = directory.appendingPathComponent("crashed.db").path
            let store = try SQLiteListStore(path: open)
            try store.prepareToWrite()
            try store.fill("a", to: 10)
            try store.close()
            let former = try Data(contentsOf: URL(filePath: open))
            let opening = try #require(
                try inDatabase(open) { try Int.fetchOne($0, sql: "SELECT opening FROM origin") })
            for (now, isRefused) in [(opening, false), (opening ^ 1, false), (opening ^ 2, true)] {
                try former.write(to: URL(filePath: path))
                try inDatabase(path) { database in
                    try database.execute(sql: "UPDATE origin SET opening = \(now)")
                }
                let mark = try DurabilityMark(databasePath: path, in: POSIXFileSystem())
                mark.record(opening: opening ^ 1, orFormer: opening)
                #expect((Self.refusal(opening: path) != nil) == isRefused)
            }
        }
    }

    /// `cp` writes into the file that the server has open. The server does not notice that before it
    /// stops, and then leaves the files as they are.
    @Test func aBackupThatIsCopiedOverAStoreInUseIsFoundAtTheEnd() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let backup = directory.appendingPathComponent("backup.db").path
            let store = try SQLiteListStore(path: path)
            _ = try store.prepareToServe()
            try store.fill("a", to: 10)
            try SQLiteBackup.copy(from: path, to: backup) { _, _ in }
            for version in 11...100 { try store.append([.exists("a", version)]) }
            try Data(contentsOf: URL(filePath: backup)).write(to: URL(filePath: path))
            guard
                case .refused(let reason) = #expect(
                    throws: StoreError.self, performing: store.close)
            else {
                Issue.record("it was closed")
                return
            }
            #expect(reason.contains("was copied here"))
            #expect(FileManager.default.fileExists(atPath: path + "-wal"))
            #expect(throws: StoreError.self) { try SQLiteListStore(path: path) }
        }
    }

    /// The mark of a program before format 7 has no opening.
    @Test func theShortMarkOfAnEarlierVersionIsAccepted() throws {
        try withCrashedStore { path, _ in
            let mark = URL(filePath: path + "-mark")
            try Data(contentsOf: mark).prefix(16).write(to: mark)
            #expect(Self.refusal(opening: path) == nil)
        }
    }

    /// A stopped store has no log, so a backup reads it without locks.
    @Test(arguments: [1, .max])
    func aBackupDuringACompactionIsCompleteOrFails(compactions: Int) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let copy = directory.appendingPathComponent("copy.db").path
            let tasks = (0..<60_000).map { "task-with-an-id-of-some-length-\($0)" }
            let store = try SQLiteListStore(path: path)
            for list in ["a", "b"] {
                let own = tasks.map { list + $0 }
                try store.append([
                    .exists(list, 1, count: own.count, snapshot: true, inserting: own)
                ])
            }
            try store.append([.deleted("a", 2)])
            try store.close()
            var (left, isFirst) = (compactions, true)
            func backup() throws(SQLiteBackupError) {
                try SQLiteBackup.copy(from: path, to: copy) { pages, total in
                    guard left > 0, isFirst || pages == total else { return }
                    isFirst = false
                    left -= 1
                    do {
                        let other = try SQLiteListStore(path: path)
                        try other.compact()
                        try other.close()
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            guard compactions == 1 else {
                let error = #expect(throws: SQLiteBackupError.self) { try backup() }
                guard case .copying(let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.contains("changed or replaced"))
                #expect(!FileManager.default.fileExists(atPath: copy))
                return
            }
            try backup()
            let copied = try SQLiteListStore(path: copy)
            try copied.verify { Issue.record("\($0): \($1)") }
            #expect(try copied.summaries(after: nil, limit: 9).map(\.id) == ["b"])
            try copied.close()
        }
    }

    /// A crash after the first server of a backup has begun its epoch.
    @Test func aServedBackupIsOpenedAfterACrash() throws {
        try withCrashedStore { path, backup in
            let store = try SQLiteListStore(path: backup)
            defer { try? store.close() }
            #expect(try store.prepareToServe())
            try store.append([.exists("a", 11)])
            try Self.copy(backup, to: path, Self.suffixes)
            let recovered = try SQLiteListStore(path: path)
            #expect(try recovered.load("a")?.version == 11)
            #expect(recovered.epoch == store.epoch)
            try recovered.close()
        }
    }

    /// An import into a backup that no server has used.
    @Test func aBackupThatWasWrittenToIsOpenedAfterACrash() throws {
        try withCrashedStore { path, backup in
            let store = try SQLiteListStore(path: backup)
            defer { try? store.close() }
            try store.prepareToWrite()
            try store.append([.exists("a", 11)])
            try Self.copy(backup, to: path, Self.suffixes)
            #expect(Self.refusal(opening: path) == nil)
        }
    }

    @Test func aCopyWithoutItsLogIsReportedUntilItIsAccepted() throws {
        try withCrashedStore { path, _ in
            unlink(path + "-wal")
            unlink(path + "-mark")
            for _ in 0..<2 {
                guard case .corrupt(_, let reason) = Self.refusal(opening: path) else {
                    Issue.record("it was opened")
                    return
                }
                #expect(reason.contains("was copied or renamed while a server used it"))
            }
            #expect(throws: SQLiteBackupError.self) {
                try SQLiteBackup.copy(from: path, to: path + "-copy") { _, _ in }
            }
            let store = try SQLiteListStore(path: path, needsLog: false)
            try store.beginEpoch()
            try store.close()
            #expect(Self.refusal(opening: path) == nil)
        }
    }

    /// The file of a stopped server is complete without a log, and so is a backup. A crashed server's
    /// file is complete with its log.
    @Test func completeFilesAreOpened() throws {
        try withCrashedStore { path, backup in
            #expect(Self.refusal(opening: backup) == nil)
            let store = try SQLiteListStore(path: path)
            _ = try store.prepareToServe()
            try store.close()
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            #expect(Self.refusal(opening: path) == nil)
        }
    }

    /// The `sqlite3` program copies the log into the file and removes the log, but not the mark.
    @Test func aFileThatAnotherProgramHasOpenedIsOpened() throws {
        try withCrashedStore { path, _ in
            let lists = try inDatabase(path) {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM list")
            }
            #expect(lists == 1)
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            #expect(FileManager.default.fileExists(atPath: path + "-mark"))
            let store = try SQLiteListStore(path: path)
            #expect(try store.load("a")?.version == 100)
            try store.prepareToWrite()
            try store.append([.exists("a", 101)])
            try store.close()
            #expect(Self.refusal(opening: path) == nil)
        }
    }

    /// Files that were copied together, with or without the mark.
    @Test(arguments: [["", "-wal"], ["", "-wal", "-mark"]])
    func aCopyWithItsLogIsOpened(suffixes: [String]) throws {
        try withCrashedStore { path, _ in
            let copy = path + ".copy"
            try Self.copy(path, to: copy, suffixes)
            let store = try SQLiteListStore(path: copy)
            #expect(try store.load("a")?.version == 100)
            try store.prepareToWrite()
            try store.close()
            #expect(Self.refusal(opening: copy) == nil)
        }
    }

    @Test func aHardLinkToAFileInUseIsRefused() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let other = directory.appendingPathComponent("other.db").path
            let store = try SQLiteListStore(path: path)
            try FileManager.default.linkItem(atPath: path, toPath: other)
            guard case .refused(let reason) = Self.refusal(opening: other) else {
                Issue.record("it was opened")
                return
            }
            #expect(reason.contains("in use by another process"))
            try store.close()
            #expect(Self.refusal(opening: other) == nil)
        }
    }

    @Test func compactionShrinksTheFileAndKeepsItsContent() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            var store = try SQLiteListStore(path: path)
            let tasks = (0..<20_000).map { "task-with-an-id-of-some-length-\($0)" }
            try store.append([
                .exists("a", 1, count: tasks.count, snapshot: true, inserting: tasks)
            ])
            try store.append([.exists("b", 1, snapshot: true), .deleted("a", 2)])
            try store.close()
            let before = try #require(store.usage.sizeBytes)
            store = try SQLiteListStore(path: path)
            try store.compact()
            try store.verify { Issue.record("\($0): \($1)") }
            #expect(try store.summaries(after: nil, limit: 9).map(\.id) == ["b"])
            #expect(try store.changes(of: "a", after: 1, limit: 9)?.map(\.version) == [2])
            try store.close()
            #expect(try #require(store.usage.sizeBytes) < before / 2)
            #expect(Self.refusal(opening: path) == nil)
        }
    }
}
