import PostgresTesting
import ReorderStore
import Synchronization
import Testing
import Waiting

@testable import PostgresStore

/// A database's epoch, and consistent snapshots of all of it.
@Suite(.enabled(if: PostgresCluster.isTested))
struct PostgresReadOnlyStoreTests {
    @Test func tablesOfTheFirstVersionAreUpgradedAndBeginAnEpoch() throws {
        try withDatabase { url, name in
            let cluster = try PostgresCluster.shared()
            var store = try openStore(url)
            try store.append([.exists("a", 1, snapshot: true)])
            try store.close()
            _ = try cluster.psql(
                """
                ALTER TABLE reorderd.schema_version DROP COLUMN epoch;
                UPDATE reorderd.schema_version SET version = 1 WHERE version > 0
                """, in: name)
            #expect(throws: StoreError.self) { try openStore(url) }
            #expect(
                try PostgresListStore.migrate(url: url, options: .patient) == (
                    1, PostgresSchema.version
                ))
            store = try openStore(url)
            let first = store.epoch
            #expect(try store.load("a")?.version == 1)
            try store.close()

            store = try openStore(url)
            #expect(store.epoch == first)
            try store.close()
            try PostgresListStore.beginEpoch(url: url)
            store = try openStore(url)
            #expect(store.epoch != first)
            try store.close()
        }
    }

    @Test func serversThatStartTogetherBeginOneEpoch() throws {
        try withDatabase { url, name in
            // A view of a store without an epoch does not begin one.
            try PostgresReadOnlyStore(url: url, options: .patient).close()
            let count = try PostgresCluster.shared().psql(
                "SELECT count(epoch) FROM reorderd.schema_version", in: name)
            #expect(count.hasPrefix("0"))
            let epochs = Mutex<[String]>([])
            try onThreads(6) { _ in
                do {
                    let store = try openStore(url)
                    epochs.withLock { $0.append(store.epoch) }
                    try store.close()
                } catch {
                    Issue.record("\(error)")
                }
            }
            let readOnly = try PostgresReadOnlyStore(url: url, options: .patient)
            #expect(epochs.withLock(\.self) == Array(repeating: readOnly.epoch, count: 6))
            try readOnly.close()
        }
    }

    @Test func listsInTablesOfTheThirdVersionGoToTheBin() throws {
        try withDatabase { url, name in
            var store = try openStore(url)
            try store.append([
                .exists("a", 1, snapshot: true), .exists("b", 1, snapshot: true), .deleted("b", 2),
            ])
            try store.close()
            _ = try PostgresCluster.shared().psql(
                """
                ALTER TABLE reorderd.list DROP COLUMN bin_title, DROP COLUMN bin_count,
                    DROP COLUMN deleted_at;
                UPDATE reorderd.schema_version SET version = 3 WHERE version > 0
                """, in: name)
            #expect(throws: StoreError.self) { try openStore(url) }
            #expect(
                try PostgresListStore.migrate(url: url, options: .patient) == (
                    3, PostgresSchema.version
                ))
            store = try openStore(url)
            #expect(try store.deletedLists(after: nil, limit: 9) == [])
            try store.append([.deleted("a", 2, binned: .init(title: "A", count: 0))])
            #expect(try store.deletedLists(after: nil, limit: 9).map(\.id) == ["a"])
            try store.close()
        }
    }

    @Test func linksOfTablesOfTheSeventhVersionEndWithTheirLists() throws {
        try withDatabase { url, name in
            var store = try openStore(url)
            try store.append([.exists("a", 1, snapshot: true)])
            try store.close()
            _ = try PostgresCluster.shared().psql(
                """
                ALTER TABLE reorderd.token DROP COLUMN list;
                INSERT INTO reorderd.token VALUES ('link', '{"link":"a"}'),
                    ('lost', '{"link":"gone"}'), ('token', '{"name":"x"}');
                UPDATE reorderd.schema_version SET version = 7 WHERE version > 0
                """, in: name)
            _ = try PostgresListStore.migrate(url: url, options: .patient)
            store = try openStore(url)
            #expect(try store.tokens().map(\.list) == ["a", nil])
            try store.append([.deleted("a", 2)])
            #expect(try store.tokens().map(\.id) == ["token"])
            try store.close()
        }
    }

    @Test func tablesOfTheSixthVersionTakeTokens() throws {
        try withDatabase { url, name in
            _ = try PostgresCluster.shared().psql(
                """
                DROP TABLE reorderd.token;
                UPDATE reorderd.schema_version SET version = 6 WHERE version > 0
                """, in: name)
            #expect(throws: StoreError.self) { try openStore(url) }
            #expect(
                try PostgresListStore.migrate(url: url, options: .patient) == (
                    6, PostgresSchema.version
                ))
            let store = try openStore(url)
            let token = StoredToken(id: "t", bytes: [1])
            #expect(try store.addToken(token))
            let readOnly = try PostgresReadOnlyStore(url: url, options: .patient)
            #expect(try readOnly.tokens() == [token])
            #expect(throws: StoreError.self) { _ = try readOnly.addToken(token) }
            #expect(throws: StoreError.self) { try readOnly.removeTokens(["t"]) }
            try readOnly.close()
            try store.close()
        }
    }

    /// A server of the version before still runs, and does not know the bin.
    @Test func aListThatAnOlderServerCreatesAgainKeepsItsSnapshots() throws {
        try withDatabase { url, name in
            let store = try openStore(url)
            try store.append([
                .exists("a", 1, snapshot: true),
                .deleted("a", 2, binned: .init(title: "A", count: 0)),
                .exists("a", 3, snapshot: true),
            ])
            _ = try PostgresCluster.shared().psql(
                "UPDATE reorderd.list SET bin_title = 'A', bin_count = 1, deleted_at = 5", in: name)
            #expect(try store.deletedLists(after: nil, limit: 9) == [])
            #expect(try store.deletedList("a", withContent: true) == nil)
            #expect(try !store.pruneBin(deletedBefore: .max, limit: 1))
            #expect(try store.load("a")?.content?.snapshotVersion == 3)
            try store.close()
        }
    }

    // MARK: Consistent snapshots

    @Test func aReadOnlyStoreIsConsistentDespiteConcurrentWrites() throws {
        try withDatabase { url, _ in
            let store = try openStore(url)
            defer { try? store.close() }
            try store.append([
                .exists("a", 1, count: 1, snapshot: true, inserting: ["t"]),
                .exists("b", 1, snapshot: true),
            ])
            let readOnly = try PostgresReadOnlyStore(url: url, options: .patient)
            let first = try readOnly.summaries(after: nil, limit: 1)
            #expect(first.map(\.id) == ["a"])
            // The task moves from the list that was read to the one that is read next.
            try store.append([
                .exists("a", 2, deleting: ["t"]),
                .exists("b", 2, count: 1, snapshot: true, inserting: ["t"]),
                .exists("c", 1, snapshot: true),
            ])
            let rest = try readOnly.summaries(after: "a", limit: 9)
            #expect(rest.map(\.id) == ["b"])
            #expect(rest.map(\.version) == [1])
            #expect(try readOnly.load("b")?.version == 1)
            #expect(try readOnly.load("c") == nil)
            #expect(try readOnly.lists(containing: ["t"]) == ["t": "a"])
            #expect(try readOnly.changes(of: "a", after: 0, limit: 9)?.map(\.version) == [1])
            #expect(try readOnly.snapshots(of: "b").map(\.version) == [1])
            #expect(throws: StoreError.self) { try readOnly.append([.exists("d", 1)]) }
            try readOnly.close()
            #expect(try store.lists(containing: ["t"]) == ["t": "b"])
        }
    }

    @Test func aReadOnlyStoreThatLostItsConnectionFails() throws {
        try withDatabase { url, name in
            let store = try openStore(url)
            defer { try? store.close() }
            try store.append([.exists("a", 1, snapshot: true)])
            let readOnly = try PostgresReadOnlyStore(url: url, options: .patient)
            try PostgresCluster.shared().endConnections(to: name)
            for _ in 0..<2 {
                #expect(throws: StoreError.self) { try readOnly.load("a") }
            }
            #expect(throws: StoreError.self) { try readOnly.close() }
        }
    }
}
