import Dispatch
import PostgresTesting
import ReorderStore
import Synchronization
import Testing
import Waiting

@testable import PostgresStore

/// A store whose database goes back to an earlier state while it is open.
@Suite(.enabled(if: PostgresCluster.isTested))
struct PostgresPastTests {
    /// What a store reported.
    private final class Rewinds: Sendable {
        let found = Mutex<[StoreRewind]>([])

        init(of store: PostgresListStore) {
            store.whenRewound { rewind in self.found.withLock { $0.append(rewind) } }
        }

        func wait() throws -> StoreRewind {
            try waitUntil { !found.withLock(\.isEmpty) }
            let first = found.withLock(\.first)
            return try #require(first)
        }
    }

    @Test(arguments: [false, true])
    func anAppendAfterALossIsRefused(usesFallbacks: Bool) throws {
        try withDatabase { url, name in
            let store = try openStore(url, usesFallbacks: usesFallbacks)
            let rewinds = Rewinds(of: store)
            try store.append([.exists("l", 1, snapshot: true, inserting: ["a"])])
            let cluster = try PostgresCluster.shared()
            try cluster.save(database: name)
            try store.append([.exists("l", 2, inserting: ["b"])])
            try cluster.rewind(database: name)

            // Its number follows the last version that the database has.
            let error = #expect(throws: StoreError.self) {
                try store.append([.exists("l", 2, inserting: ["c"])])
            }
            guard case .unavailable = error else { throw try #require(error) }
            let rewind = try rewinds.wait()
            #expect(rewind.reason.contains("version 2 of l"))
            #expect(!store.isReachable)
            #expect(throws: StoreError.self) { try store.load("l") }

            let next = try openStore(url, usesFallbacks: usesFallbacks)
            #expect(next.epoch != store.epoch)
            #expect(try next.load("l")?.version == 1)
            try next.append([.exists("l", 2, inserting: ["c"])])
            try store.close()
            try next.close()
        }
    }

    /// The positions have got further than before.
    @Test func aReadNoticesOtherChangesAtTheSamePositions() throws {
        try withDatabase { url, name in
            let (store, other) = (try openStore(url), try openStore(url))
            let rewinds = Rewinds(of: store)
            try store.append([.exists("l", 1, snapshot: true, inserting: ["a"])])
            let cluster = try PostgresCluster.shared()
            try cluster.save(database: name)
            try store.append([.exists("l", 2, inserting: ["b"])])
            try cluster.rewind(database: name)
            for version in 2...5 {
                try other.append([.exists("l", version, inserting: ["c\(version)"])])
            }
            #expect(throws: StoreError.self) {
                try store.listStates(of: [ListStateQuery(list: "l", known: 2)])
            }
            _ = try rewinds.wait()
            // The other store has seen nothing of what was lost, but the epoch.
            let others = Rewinds(of: other)
            #expect(throws: StoreError.self) {
                try other.append([.exists("l", 6, inserting: ["d"])])
            }
            #expect(try others.wait().reason.contains("new epoch"))
            try store.close()
            try other.close()
        }
    }

    /// Each store begins an epoch, unless another one has done so.
    @Test func storesThatNoticeALossTogetherBeginOneEpoch() throws {
        try withDatabase { url, name in
            let stores = try (0..<4).map { _ in try openStore(url) }
            let rewinds = stores.map { Rewinds(of: $0) }
            try stores[0].append([.exists("l", 1, snapshot: true, inserting: ["a"])])
            let cluster = try PostgresCluster.shared()
            try cluster.save(database: name)
            try stores[0].append([.exists("l", 2, inserting: ["b"])])
            for store in stores { _ = try store.load("l") }
            try cluster.rewind(database: name)
            let changes = "SELECT count(*) FROM reorderd.schema_version WHERE version = -1"
            #expect(try cluster.psql(changes, in: name) == "0")
            DispatchQueue.concurrentPerform(iterations: stores.count) { index in
                #expect(throws: StoreError.self) { try stores[index].load("l") }
            }
            let reasons = try rewinds.map { try $0.wait().reason }
            #expect(reasons.count { $0.contains("another server has begun") } < stores.count)
            let next = try openStore(url)
            let epoch = try cluster.epoch(ofDatabase: name)
            #expect(next.epoch == epoch)
            #expect(
                try cluster.psql(
                    "SELECT epoch FROM reorderd.schema_version WHERE version = -1", in: name)
                    == stores[0].epoch)
            for store in stores + [next] { try store.close() }
        }
    }

    /// Servers that know the second epoch have seen nothing of what the second restore lost, but the epoch.
    @Test func anEpochOfARestoredDatabaseIsNotUsedAgain() throws {
        try withDatabase { url, name in
            let store = try openStore(url)
            let rewinds = Rewinds(of: store)
            try store.append([.exists("l", 1, snapshot: true, inserting: ["a"])])
            let cluster = try PostgresCluster.shared()
            try cluster.save(database: name)
            try store.append([.exists("l", 2, inserting: ["b"])])
            try cluster.rewind(database: name)
            #expect(throws: StoreError.self) { try store.load("l") }
            _ = try rewinds.wait()

            let stores = try (0..<3).map { _ in try openStore(url) }
            let others = stores.map { Rewinds(of: $0) }
            for next in stores { _ = try next.load("l") }
            #expect(stores[0].epoch != store.epoch)
            try cluster.rewind(database: name)
            #expect(try cluster.epoch(ofDatabase: name) == store.epoch)
            for next in stores { #expect(throws: StoreError.self) { try next.load("l") } }
            let reasons = try others.map { try $0.wait().reason }
            #expect(reasons.count { $0.contains("begins another one") } == 1, "\(reasons)")
            let last = try openStore(url)
            #expect(![store.epoch, stores[0].epoch].contains(last.epoch))
            _ = try last.load("l")
            for next in stores + [store, last] { try next.close() }
        }
    }

    /// `reorderd migrate --new-epoch` while servers run.
    @Test func serversFollowTheEpochOfAnAdministrator() throws {
        try withDatabase { url, name in
            let stores = try (0..<2).map { _ in try openStore(url) }
            let rewinds = stores.map { Rewinds(of: $0) }
            try stores[0].append([.exists("l", 1, snapshot: true, inserting: ["a"])])
            // The servers learn only of the last one.
            for _ in 0..<2 { try PostgresListStore.beginEpoch(url: url) }
            let cluster = try PostgresCluster.shared()
            let epoch = try cluster.epoch(ofDatabase: name)
            #expect(epoch != stores[0].epoch)
            for store in stores { #expect(throws: StoreError.self) { try store.load("l") } }
            for rewind in rewinds { _ = try rewind.wait() }
            #expect(try cluster.epoch(ofDatabase: name) == epoch)
            for store in stores { try store.close() }
        }
    }

    /// Tables of version 8 did not hide the changes of former lists.
    @Test func formerListsAreHiddenAfterAMigration() throws {
        try withDatabase { url, name in
            var store = try openStore(url)
            for list in ["bin", "gone", "kept"] {
                try store.append([.exists(list, 1, count: 0, snapshot: true), .exists(list, 2)])
            }
            try store.append([
                .deleted("bin", 3, binned: .init(title: "B", count: 0)), .deleted("gone", 3),
            ])
            try store.close()
            let cluster = try PostgresCluster.shared()
            _ = try cluster.psql(
                """
                ALTER TABLE reorderd.list DROP COLUMN hidden; DROP INDEX reorderd.token_by_list;
                UPDATE reorderd.schema_version SET version = 8 WHERE version = 9
                """, in: name)
            _ = try PostgresListStore.migrate(url: url, options: .patient)
            store = try openStore(url)
            try #expect(store.prunedVersion(of: "bin") == 0)
            try #expect(store.prunedVersion(of: "kept") == 0)
            try #expect(store.prunedVersion(of: "gone") == 2)
            #expect(
                try cluster.psql(
                    "SELECT count(*) FROM pg_indexes WHERE indexname = 'token_by_list'", in: name)
                    == "1")
            try store.close()
        }
    }

    @Test func aPrunedChangeIsNotLost() {
        let seen = JournalMark(position: 5, number: 50, list: "l", version: 3)
        let newer = JournalMark(position: 6, number: 60, list: "l", version: 4)
        let older = JournalMark(position: 4, number: 40, list: "l", version: 2)
        #expect(SeenPast(seen: nil, numberThere: nil, newest: nil) == .kept)
        #expect(SeenPast(seen: nil, numberThere: nil, newest: newer) == .kept)
        #expect(SeenPast(seen: seen, numberThere: 50, newest: seen) == .kept)
        #expect(SeenPast(seen: seen, numberThere: 50, newest: newer) == .kept)
        #expect(SeenPast(seen: seen, numberThere: 51, newest: newer) == .lost)
        #expect(SeenPast(seen: seen, numberThere: nil, newest: older) == .lost)
        #expect(SeenPast(seen: seen, numberThere: nil, newest: nil) == .lost)
        #expect(SeenPast(seen: seen, numberThere: nil, newest: newer) == .unclear)
    }
}
