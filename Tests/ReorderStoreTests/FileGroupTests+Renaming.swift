import Foundation
import ReorderStore
import Testing

@testable import SQLiteStore

/// Files that were renamed or got another name, so that the log of a store is without its file.
extension FileGroupTests {
    /// SQLite would delete the log as one that belongs to no file.
    @Test(arguments: [false, true])
    func theLogOfARenamedFileIsNotDeleted(isReplaced: Bool) throws {
        try withCrashedStore { path, _ in
            let renamed = path + ".old"
            #expect(rename(path, renamed) == 0)
            if isReplaced { try Data().write(to: URL(filePath: path)) }
            guard case .refused(let reason) = Self.refusal(opening: path) else {
                Issue.record("it was opened")
                return
            }
            #expect(reason.contains("is missing or empty"))
            #expect(rename(renamed, path) == 0)
            let store = try SQLiteListStore(path: path)
            #expect(try store.load("a")?.version == 100)
            try store.close()
        }
    }

    @Test func theLogOfARenamedFileIsNotDeletedIfTheMarkIsMissing() throws {
        try withCrashedStore { path, _ in
            let renamed = path + ".old"
            #expect(rename(path, renamed) == 0)
            unlink(path + "-mark")
            guard case .refused = Self.refusal(opening: path) else {
                Issue.record("it was opened")
                return
            }
            #expect(rename(renamed, path) == 0)
            let store = try SQLiteListStore(path: path)
            #expect(try store.load("a")?.version == 100)
            try store.close()
        }
    }

    @Test func aRestoreKeepsTheLogOfARenamedFile() throws {
        try withCrashedStore { path, backup in
            let log = try Data(contentsOf: URL(filePath: path + "-wal"))
            #expect(rename(path, path + ".old") == 0)
            let former = try restore(backup, to: path)
            #expect(try Data(contentsOf: URL(filePath: former + "-wal")) == log)
            #expect(Self.refusal(opening: path) == nil)
            // A second log would replace the one that was kept.
            #expect(rename(path, path + ".new") == 0)
            try Data([1]).write(to: URL(filePath: path + "-wal"))
            #expect(throws: SQLiteBackupError.self) { try restore(backup, to: path) }
        }
    }

    /// - Returns: the name of the former store.
    private func restore(_ backup: String, to path: String) throws -> String {
        let restore = try SQLiteRestore(to: path)
        try restore.copy(from: backup) { _, _ in }
        try restore.publish()
        return restore.former
    }

    @Test func aFileThatIsRenamedInUseIsFoundAtTheEnd() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let store = try SQLiteListStore(path: path)
            _ = try store.prepareToServe()
            try store.fill("a", to: 10)
            #expect(rename(path, path + ".new") == 0)
            let error = #expect(throws: StoreError.self, performing: store.close)
            #expect(error?.reason.contains("is missing or empty") == true)
            // The store of this process keeps its lock.
            let copy = path + ".copy"
            #expect(rename(path + ".new", path) == 0)
            try Self.copy(path, to: copy, Self.suffixes)
            let renamed = try SQLiteListStore(path: copy)
            #expect(try renamed.load("a")?.version == 10)
            try renamed.close()
        }
    }

    /// The refusal leaves an empty mark.
    @Test func aRefusedFileDoesNotHideTheMissingLogOfTheNextOne() throws {
        try withCrashedStore { path, _ in
            let other = path + ".other"
            try Data("not a database".utf8).write(to: URL(filePath: other))
            #expect(Self.refusal(opening: other) != nil)
            try Self.copy(path, to: other, [""])
            guard case .corrupt = Self.refusal(opening: other) else {
                Issue.record("it was opened")
                return
            }
        }
    }

    /// The log is beside the first name.
    @Test func aHardLinkToACrashedStoreIsRefused() throws {
        try withCrashedStore { path, _ in
            let other = path + ".other"
            #expect(link(path, other) == 0)
            for needsLog in [true, false] {
                let error = #expect(throws: StoreError.self) {
                    try SQLiteListStore(path: other, needsLog: needsLog)
                }
                #expect(error?.reason.contains("hard links") == true)
                #expect(error?.reason.contains("--new-epoch") == false)
            }
            let store = try SQLiteListStore(path: path)
            #expect(try store.load("a")?.version == 100)
            try store.close()
            #expect(Self.refusal(opening: other) == nil)
        }
    }

    @Test func aBackupReplacesAnotherFileButNotItsSource() throws {
        try withCrashedStore { path, _ in
            try SQLiteListStore(path: path).close()
            let other = path + ".other"
            #expect(link(path, other) == 0)
            for destination in [path, other] {
                #expect(throws: SQLiteBackupError.self) {
                    try SQLiteBackup.copy(from: path, to: destination, replaces: true) { _, _ in }
                }
            }
            unlink(other)
            try Data().write(to: URL(filePath: other))
            try SQLiteBackup.copy(from: path, to: other, replaces: true) { _, _ in }
            let copy = try SQLiteListStore(path: other)
            #expect(try copy.load("a")?.version == 100)
            try copy.close()
        }
    }

    /// The log of a renamed file must not be applied after the file was used without it.
    @Test func theLogOfAFileThatWasUsedWithoutItIsRefused() throws {
        try withCrashedStore { path, _ in
            let renamed = path + ".old"
            #expect(rename(path, renamed) == 0)
            let store = try SQLiteListStore(path: renamed, needsLog: false)
            try store.beginEpoch()
            try store.close()
            #expect(Self.refusal(opening: renamed) == nil)
            #expect(rename(renamed, path) == 0)
            guard case .refused(let reason) = Self.refusal(opening: path) else {
                Issue.record("it was opened")
                return
            }
            #expect(reason.contains("belong to the file that was here before"))
        }
    }
}
