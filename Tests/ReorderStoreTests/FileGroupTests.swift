import Foundation
import ReorderStore
import Testing

@testable import SQLiteStore

/// Files of different stores, or of different times, under the names of one store.
@Suite struct FileGroupTests {
    private static let suffixes = ["", "-wal", "-mark"]

    private static func copy(_ path: String, to other: String, _ suffixes: [String]) throws {
        for suffix in suffixes {
            unlink(other + suffix)
            try FileManager.default.copyItem(atPath: path + suffix, toPath: other + suffix)
        }
    }

    private static func refusal(opening path: String) -> StoreError? {
        do {
            try SQLiteListStore(path: path).close()
            return nil
        } catch {
            return error
        }
    }

    /// A served store with 100 versions, as a crash leaves it, and a backup of an earlier version.
    private func withCrashedStore(
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
            #expect(reason.contains("belong to the file that was here before"))
            #expect(reason.contains("reorderd restore"))
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
            try store.beginEpochAfterRestore()
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
                #expect(reason.contains("was copied while a server used it"))
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
    /// file is complete with its log, also after another program has copied the log into it.
    @Test func completeFilesAreOpened() throws {
        try withCrashedStore { path, backup in
            #expect(Self.refusal(opening: backup) == nil)
            let mark = try Data(contentsOf: URL(filePath: path + "-mark"))
            let store = try SQLiteListStore(path: path)
            _ = try store.prepareToServe()
            try store.close()
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            #expect(Self.refusal(opening: path) == nil)
            try mark.write(to: URL(filePath: path + "-mark"))
            #expect(Self.refusal(opening: path) == nil)
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
            #expect(try store.changes(of: "a", after: 0, limit: 9)?.count == 2)
            try store.close()
            #expect(try #require(store.usage.sizeBytes) < before / 2)
            #expect(Self.refusal(opening: path) == nil)
        }
    }
}
