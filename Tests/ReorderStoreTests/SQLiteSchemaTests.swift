import Foundation
import GRDB
import ReorderStore
import Testing

@testable import SQLiteStore

/// Files written by earlier versions.
@Suite
struct SQLiteSchemaTests {
    /// A file of an earlier format version, with some lists.
    private func make(version: Int = 1, at path: String) throws {
        let store = try SQLiteListStore(path: path)
        try store.fill("a", to: 70)
        try store.append([.exists("b", 1, count: 1, snapshot: true, inserting: ["t"])])
        try store.close()
        try inDatabase(path) { database in
            try database.execute(
                sql: Self.toTheEleventhVersion + """
                    DROP TABLE answer; DROP TABLE origin; DROP TABLE piece; DROP TABLE long_body;
                    DROP TABLE discarded; DROP TABLE staged_task; DROP TABLE staging;
                    DROP TABLE bin; DROP TABLE token; ALTER TABLE list DROP COLUMN open;
                    ALTER TABLE list DROP COLUMN hidden;
                    """)
            for migration in SQLiteSchema.migrations[1..<version] {
                try database.execute(sql: migration)
            }
            try database.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// What the twelfth version has changed.
    private static let toTheEleventhVersion = """
        CREATE TABLE bin (id TEXT PRIMARY KEY, title TEXT NOT NULL, count INTEGER NOT NULL,
            at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO bin SELECT id, bin_title, bin_count, deleted_at FROM list
            WHERE bin_title IS NOT NULL;
        DROP INDEX list_in_bin; DROP INDEX list_in_bin_by_time;
        ALTER TABLE list DROP COLUMN bin_title; ALTER TABLE list DROP COLUMN bin_count;
        ALTER TABLE list DROP COLUMN deleted_at;
        CREATE TABLE discarded (first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;
        PRAGMA user_version = 11;
        """

    /// Opens a file of an earlier format version.
    private func withUpgraded(
        from version: Int, _ body: (SQLiteListStore) throws -> Void
    ) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            try make(version: version, at: path)
            let store = try SQLiteListStore(
                path: path, large: LargeCommit(tasks: 1), steps: StepLimits(rows: 1),
                newEpoch: "aaaaaaaaaaaa")
            try #expect(store.load("a")?.version == 70)
            try body(store)
            try store.verify { Issue.record("\($0): \($1)") }
            try store.close()
        }
    }

    /// Format version 2 had no backup marks.
    @Test func aFileOfTheSecondVersionBeginsAnEpochAndIsNotABackup() throws {
        try withUpgraded(from: 2) { store throws in
            #expect(store.epoch == "aaaaaaaaaaaa")
            #expect(try !store.prepareToWrite())
            #expect(store.epoch == "aaaaaaaaaaaa")
        }
    }

    /// Format version 3 had no large appends.
    @Test func aFileOfTheThirdVersionTakesALargeAppend() throws {
        try withUpgraded(from: 3) { store throws in
            let tasks = ["u", "v", "w"]
            try store.append([.exists("b", 2, count: 4, inserting: tasks)])
            try #expect(store.lists(containing: tasks + ["t"]).count == 4)
        }
    }

    /// Format version 4 had no bin.
    @Test func listsOfAFileOfTheFourthVersionGoToTheBin() throws {
        try withUpgraded(from: 4) { store throws in
            try #expect(store.deletedLists(after: nil, limit: 9) == [])
            try store.append([
                .deleted("a", 71, binned: .init(title: "A", count: 0)), .deleted("b", 2),
            ])
            try #expect(store.deletedLists(after: nil, limit: 9).map(\.id) == ["a"])
            let content = try store.deletedList("a", withContent: true)?.content
            #expect(content?.snapshotVersion == 1 && content?.changes.count == 69)
        }
    }

    /// Format version 5 did not count open tasks.
    @Test func openTasksOfAFileOfTheFifthVersionAreCountedFromTheNextChangeOn() throws {
        try withUpgraded(from: 5) { store throws in
            try #expect(store.summaries(after: nil, limit: 9).map(\.open) == [nil, nil])
            // The title and the number of tasks stay the same.
            for open in [1, 0] {
                try store.append([.exists("b", 3 - open, count: 1, open: open)])
                try #expect(store.summaries(after: nil, limit: 9).map(\.open) == [nil, open])
            }
        }
    }

    /// Format version 8 had no tokens.
    @Test func aFileOfTheEighthVersionTakesTokens() throws {
        try withUpgraded(from: 8) { store throws in
            #expect(SQLiteListStore.format >= 9)
            try #expect(store.tokens() == [])
            let token = StoredToken(id: "t", bytes: [1])
            #expect(try store.addToken(token))
            try #expect(store.tokens() == [token])
        }
    }

    /// Format version 9 did not know the lists of links.
    @Test func linksOfAFileOfTheNinthVersionEndWithTheirLists() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            try make(version: 9, at: path)
            try inDatabase(path) { database in
                for (id, body) in [
                    ("link", #"{"link":"a"}"#), ("lost", #"{"link":"gone"}"#),
                    ("token", #"{"name":"é"}"#), ("wrong", "x"),
                ] {
                    try database.execute(
                        sql: "INSERT INTO token VALUES (?, ?)",
                        arguments: [id, Data(body.utf8)])
                }
            }
            let store = try SQLiteListStore(path: path)
            try #expect(store.tokens().map(\.id) == ["link", "token", "wrong"])
            try #expect(store.tokens().map(\.list) == ["a", nil, nil])
            try store.append([.deleted("a", 71)])
            try #expect(store.tokens().map(\.id) == ["token", "wrong"])
            try store.close()
        }
    }

    /// Format version 10 did not hide the changes of former lists.
    @Test func formerListsOfAFileOfTheTenthVersionAreHidden() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            var store = try SQLiteListStore(path: path)
            for list in ["bin", "gone", "kept"] {
                try store.append([.exists(list, 1, count: 0, snapshot: true), .exists(list, 2)])
            }
            try store.append([
                .deleted("bin", 3, binned: .init(title: "B", count: 0)), .deleted("gone", 3),
            ])
            try store.close()
            try inDatabase(path) { database in
                try database.execute(
                    sql: Self.toTheEleventhVersion + """
                        ALTER TABLE list DROP COLUMN hidden; ALTER TABLE origin DROP COLUMN trusted;
                        DROP INDEX token_by_list; PRAGMA user_version = 10;
                        """)
            }
            store = try SQLiteListStore(path: path)
            try #expect(store.prunedVersion(of: "bin") == 0)
            try #expect(store.prunedVersion(of: "kept") == 0)
            try #expect(store.prunedVersion(of: "gone") == 2)
            try #expect(store.changes(of: "gone", after: 0, limit: 9) == nil)
            try store.close()
        }
    }

    /// Format version 11 had the tables `bin` and `discarded`. The fixture is the text of a file, as a crash
    /// during a large append left it.
    @Test func aFileOfTheEleventhVersionKeepsAllItsContent() throws {
        let text = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../Fixtures/file-format-11.sql"), encoding: .utf8)
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            try inDatabase(path) { try $0.execute(sql: text) }
            // The log is in the text.
            let store = try SQLiteListStore(path: path, needsLog: false)
            #expect(store.convertedFormat == 11)
            #expect(store.epoch == "aaaaaaaaaaaa" && store.trustedTime == 1_700_000_000_123)
            try #expect(store.load("kept")?.content?.changes.map(\.version) == [2])
            try #expect(store.load("long")?.content?.snapshot.count == 410)
            try #expect(store.changes(of: "long", after: 0, limit: 9)?.first?.bytes.count == 320)
            try #expect(store.load("lost") == nil)
            try #expect(
                store.deletedLists(after: nil, limit: 9)
                    == ["a", "b"].map {
                        BinEntry(
                            id: "bin-\($0)", title: "Title of bin-\($0)", count: 1, version: 2,
                            deletedAt: 1_700_000_000_002)
                    })
            try #expect(store.deletedList("bin-a", withContent: true)?.content != nil)
            try #expect(store.prunedVersion(of: "gone") == 1)
            try #expect(store.tokens().map(\.list) == ["kept", nil])
            let key = StoredResponseKey(.list, of: "kept", "k")
            try #expect(store.responses(to: [key])[key]?.bytes == [4, 5])
            try #expect(
                store.lists(containing: ["k1", "l3", "x1"]) == ["k1": "kept", "l3": "long"])
            // Removes what the large append has left.
            try store.verify { Issue.record("\($0): \($1)") }
            try store.append([.exists("bin-a", 3, snapshot: true)])
            while try store.pruneBin(deletedBefore: .max, limit: 1) {}
            try #expect(store.deletedLists(after: nil, limit: 9).isEmpty)
            try store.verify { Issue.record("\($0): \($1)") }
            try store.close()
        }
    }

    /// Tables, columns and indexes.
    @Test func aFileOfTheTenthVersionGetsTheSchemaOfANewOne() throws {
        func schema(_ path: String) throws -> [String] {
            var all: [String] = []
            try inDatabase(path) { database in
                all = try String.fetchAll(
                    database,
                    sql: """
                        SELECT item.name || ': ' || coalesce((SELECT group_concat(columns.name)
                            FROM pragma_table_info(item.name) AS columns), '')
                        FROM sqlite_schema AS item ORDER BY item.name
                        """)
            }
            return all
        }
        try withTemporaryDirectory { directory in
            let (old, new) = (
                directory.appendingPathComponent("old.db").path,
                directory.appendingPathComponent("new.db").path
            )
            try make(version: 10, at: old)
            for path in [old, new] { try SQLiteListStore(path: path).close() }
            try #expect(schema(old) == schema(new))
        }
    }

    /// The clock can be wrong at the next start.
    @Test func theTrustedTimeIsKept() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            var store = try SQLiteListStore(path: path)
            #expect(store.trustedTime == nil)
            try store.keep(trustedTime: 1_234_567_890_123)
            try store.close()
            store = try SQLiteListStore(path: path)
            #expect(store.trustedTime == 1_234_567_890_123)
            try store.close()
        }
    }

    /// A copy of a store has its tokens.
    @Test func aBackupHasTheTokens() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let copy = directory.appendingPathComponent("copy.db").path
            let token = StoredToken(id: "t", bytes: [1])
            var store = try SQLiteListStore(path: path)
            #expect(try store.addToken(token))
            try store.close()
            try SQLiteBackup.copy(from: path, to: copy) { _, _ in }
            store = try SQLiteListStore(path: copy)
            try #expect(store.tokens() == [token])
            try store.close()
        }
    }

    /// Stores of this format began without an epoch.
    @Test func aFileWithoutAnEpochBeginsOneAndKeepsIt() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            try SQLiteListStore(path: path).close()
            try inDatabase(path) { try $0.execute(sql: "UPDATE origin SET epoch = NULL") }
            for name in ["aaaaaaaaaaaa", "bbbbbbbbbbbb"] {
                let store = try SQLiteListStore(path: path, newEpoch: name)
                #expect(store.epoch == "aaaaaaaaaaaa")
                try store.close()
            }
        }
    }

    @Test func aServedBackupBeginsAnEpochAndKeepsIt() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let copy = directory.appendingPathComponent("copy.db").path
            try make(at: path)
            try SQLiteBackup.copy(from: path, to: copy) { _, _ in }
            // Opening it for a command does not clear the mark.
            var store = try SQLiteListStore(path: copy)
            let before = store.epoch
            try store.close()
            store = try SQLiteListStore(path: copy)
            #expect(store.epoch == before)
            #expect(try store.prepareToWrite())
            let epoch = store.epoch
            #expect(epoch != before)
            try store.close()
            store = try SQLiteListStore(path: copy)
            #expect(try !store.prepareToWrite())
            #expect(store.epoch == epoch)
            try store.close()
            store = try SQLiteListStore(path: path)
            #expect(try !store.prepareToWrite())
            try store.close()
        }
    }

    private func schema(of path: String) throws -> [String] {
        try inDatabase(path) { database in
            try String.fetchAll(
                database, sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
        }
    }

    @Test func theFirstVersionEqualsItsStatements() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let plain = directory.appendingPathComponent("plain.db").path
            try make(at: path)
            try inDatabase(plain) { try $0.execute(sql: SQLiteSchema.migrations[0]) }
            try #expect(schema(of: path) == schema(of: plain))
        }
    }

    @Test func aFileOfTheFirstVersionIsUpgradedWithAllItsContent() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let new = directory.appendingPathComponent("new.db").path
            try make(at: path)
            for _ in 0..<2 {
                let store = try SQLiteListStore(path: path)
                try #expect(store.load("a")?.version == 70)
                try #expect(store.lists(containing: ["t"]) == ["t": "b"])
                try store.verify { Issue.record("\($0): \($1)") }
                try store.close()
            }
            try SQLiteListStore(path: new).close()
            try #expect(schema(of: path) == schema(of: new))
            let store = try SQLiteListStore(path: path)
            let key = StoredResponseKey(.list, of: "a", "k")
            try store.append([.exists("a", 71)], responses: [.to(key)])
            try #expect(store.responses(to: [key]).count == 1)
            try store.close()
        }
    }
}
