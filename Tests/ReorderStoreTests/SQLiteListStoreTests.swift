import Foundation
import GRDB
import ReorderStore
import SQLiteStore
import Testing

/// Behaviour of the SQLite store alone.
@Suite
struct SQLiteListStoreTests {
    // MARK: Files that are refused

    @Test func aFileOfANewerVersionIsRefusedAndNotChanged() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            try SQLiteListStore(path: path).close()
            try inDatabase(path) { try $0.execute(sql: "PRAGMA user_version = 99") }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let reason = try #require(refusal(opening: path))
            #expect(reason.contains("version 99"))
            try #expect(Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        }
    }

    @Test func anotherApplicationsDatabaseIsRefusedAndNotChanged() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("other.db").path
            try inDatabase(path) { try $0.execute(sql: "CREATE TABLE note (text)") }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let reason = try #require(refusal(opening: path))
            #expect(reason.contains("another application"))
            try #expect(Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        }
    }

    @Test func aFileThatIsNotADatabaseIsRefusedAndNotChanged() throws {
        try withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("text.db")
            let text = Data(String(repeating: "This is not a database. ", count: 500).utf8)
            try text.write(to: file)
            let reason = try #require(refusal(opening: file.path))
            #expect(reason.contains("not an SQLite database"))
            try #expect(Data(contentsOf: file) == text)
        }
    }

    @Test func aDirectoryAndAMissingDirectoryAreRefused() throws {
        try withTemporaryDirectory { directory in
            #expect(refusal(opening: directory.path) != nil)
            #expect(refusal(opening: directory.path + "/none/lists.db") != nil)
            #expect(refusal(opening: "") != nil)
        }
    }

    // MARK: The latest time

    @Test func theLatestTimeIsThatOfTheLastChange() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            var store = try SQLiteListStore(path: path)
            #expect(store.latestTime == nil)
            try store.append([.exists("b", 1, snapshot: true, at: 1_700_000_000_123)])
            try store.append([.exists("a", 1, snapshot: true, at: 1_700_000_000_456)])
            #expect(store.latestTime == nil)
            try store.close()
            store = try SQLiteListStore(path: path)
            #expect(store.latestTime == 1_700_000_000_456)
            try store.close()
        }
    }

    // MARK: One process per file

    @Test func aSecondStoreOnTheFileIsRefusedUntilTheFirstCloses() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let link = directory.appendingPathComponent("link.db").path
            let store = try SQLiteListStore(path: path)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            for name in [path, link] {
                let reason = try #require(refusal(opening: name))
                #expect(reason.contains("in use by another process"))
            }
            try store.append([.exists("a", 1, snapshot: true)])
            try store.close()
            try SQLiteListStore(path: link).close()
        }
    }

    @Test func aFileHeldByAnotherProcessIsRefusedUntilThatProcessIsKilled() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let output = Pipe()
            let holder = Process()
            holder.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
            // `exec`, so that the killed process is the one that holds the lock.
            holder.arguments = ["--no-fork", path + ".lock", "sh", "-c", "echo; exec sleep 600"]
            holder.standardOutput = output
            try holder.run()
            defer { if holder.isRunning { holder.terminate() } }
            _ = try output.fileHandleForReading.read(upToCount: 1)
            let reason = try #require(refusal(opening: path))
            #expect(reason.contains("in use by another process"))
            kill(holder.processIdentifier, SIGKILL)
            holder.waitUntilExit()
            try SQLiteListStore(path: path).close()
        }
    }

    @Test func aClosedStoreThrowsUnavailable() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let store = try SQLiteListStore(path: path)
            try store.close()
            try store.close()
            let closed = StoreError.unavailable(reason: "the store is closed")
            #expect(throws: closed) { try store.append([.exists("a", 1, snapshot: true)]) }
            #expect(throws: closed) { _ = try store.load("a") }
        }
    }

    // MARK: Damage

    @Test(arguments: [4_096, 10_000, 40_960])
    func aTruncatedFileIsReportedAndNothingIsLostSilently(bytes: Int) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let store = try SQLiteListStore(path: path)
            try store.fill("a", to: 2_000)
            try store.close()
            truncate(path, bytes)
            #expect {
                let store = try SQLiteListStore(path: path)
                defer { try? store.close() }
                _ = try store.load("a")
            } throws: { error in
                guard case StoreError.corrupt(let place, _) = error else { return false }
                return place == path
            }
        }
    }

    @Test func aMissingChangeIsReportedWithItsListAndVersion() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            var store = try SQLiteListStore(path: path)
            try store.fill("a", to: 20)
            try store.close()
            try inDatabase(path) { try $0.execute(sql: "DELETE FROM journal WHERE version = 7") }
            store = try SQLiteListStore(path: path)
            defer { try? store.close() }
            #expect {
                _ = try store.load("a")
            } throws: { error in
                guard case StoreError.corrupt(let place, _) = error else { return false }
                return place == "list a, version 7"
            }
            try #expect(store.changes(of: "a", after: 7, limit: 99)?.count == 13)
        }
    }

    @Test func prunedChangesAreReportedAsNil() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            var store = try SQLiteListStore(path: path)
            try store.fill("a", to: 20)
            try store.append([.exists("a", 21, snapshot: true)])
            try store.close()
            try inDatabase(path) {
                try $0.execute(
                    sql: "DELETE FROM journal WHERE version <= 9; UPDATE list SET forgotten = 9")
            }
            store = try SQLiteListStore(path: path)
            defer { try? store.close() }
            try #expect(store.changes(of: "a", after: 8, limit: 99) == nil)
            try #expect(store.changes(of: "a", after: 9, limit: 99)?.count == 12)
            try #expect(store.load("a")?.version == 21)
        }
    }

    // MARK: Failing transactions

    /// A trigger simulates a full disk: SQLite rolls back by itself, or refuses the COMMIT.
    @Test(arguments: [
        "SELECT RAISE(ROLLBACK, 'full')", "SELECT RAISE(ABORT, 'full')",
        "INSERT INTO child VALUES (1)",
    ])
    func afterAFailureNothingIsWrittenAndTheStoreStaysUsable(failure: String) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            try SQLiteListStore(path: path).close()
            try inDatabase(path) {
                try $0.execute(
                    sql: """
                        CREATE TABLE parent (id INTEGER PRIMARY KEY);
                        CREATE TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
                        CREATE TRIGGER full AFTER INSERT ON journal
                        WHEN new.list = 2 BEGIN \(failure); END
                        """)
            }
            let store = try SQLiteListStore(path: path)
            defer { try? store.close() }
            try store.append([.exists("a", 1, snapshot: true)])
            for version in 2...4 {
                #expect {
                    try store.append([
                        .exists("a", version, inserting: ["t"]), .exists("b", 1, snapshot: true),
                    ])
                } throws: { error in
                    guard case StoreError.unavailable = error else { return false }
                    return true
                }
                try #expect(store.load("a")?.version == version - 1)
                try #expect(store.load("b") == nil)
                try #expect(store.lists(containing: ["t"]) == [:])
                try store.append([.exists("a", version)])
            }
        }
    }

    // MARK: Support

    private func refusal(opening path: String) -> String? {
        do {
            try SQLiteListStore(path: path).close()
            return nil
        } catch .refused(let reason) {
            return reason
        } catch {
            return nil
        }
    }
}
