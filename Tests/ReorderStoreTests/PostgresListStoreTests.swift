import Dispatch
import Foundation
import PostgresTesting
import RandomRuns
import ReorderStore
import Synchronization
import Testing
import Waiting

@testable import PostgresStore

/// The guarantees of the PostgreSQL store beyond the contract of all stores.
@Suite(.enabled(if: PostgresCluster.isTested))
struct PostgresListStoreTests {
    // MARK: Opening

    @Test func concurrentMigrationsCreateTheTablesOnce() throws {
        let name = "test-\(UUID().uuidString)"
        let cluster = try PostgresCluster.shared()
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        #expect(throws: StoreError.self) { try openStore(url) }
        let failures = Mutex<[String]>([])
        try onThreads(8) { _ in
            do {
                _ = try PostgresListStore.migrate(url: url, options: .patient)
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        let versions = try cluster.psql(
            "SELECT max(version) FROM reorderd.schema_version", in: name)
        #expect(versions == "\(PostgresSchema.version)")
        try openStore(url).close()
    }

    @Test func tablesOfANewerVersionAreRefused() throws {
        try withDatabase { url, name in
            _ = try PostgresCluster.shared().psql(
                "INSERT INTO reorderd.schema_version VALUES (\(PostgresSchema.version + 1))",
                in: name)
            let error = #expect(throws: StoreError.self) { try openStore(url) }
            #expect(error.map { "\($0)".contains("newer") } == true)
        }
    }

    /// Tests run on the database's machine, so both have the same clock.
    @Test func theLatestTimeIsTheDatabasesTime() throws {
        try withDatabase { url, _ in
            var store = try openStore(url)
            try store.append([.exists("a", 1, snapshot: true, at: 1_700_000_000_123)])
            try store.close()
            let before = Int64(Date().timeIntervalSince1970 * 1_000)
            store = try openStore(url)
            let after = Int64(Date().timeIntervalSince1970 * 1_000) + 1
            #expect((before...after).contains(try #require(store.latestTime)))
            try store.close()
        }
    }

    // MARK: Groups

    @Test func eachGroupIsWrittenCompletelyOrNotAtAll() throws {
        try withDatabase { url, _ in
            let store = try openStore(url)
            try store.append([
                .exists("a", 1, snapshot: true, inserting: ["t"]), .exists("b", 1, snapshot: true),
                .exists("h", 1, snapshot: true, inserting: ["v"]),
            ])
            let key = StoredResponseKey(.list, of: "c", "k")
            let outcomes = try store.append([
                // This group is written.
                CommitGroup(commits: [.exists("a", 2, deleting: ["t"])], responses: [.to(key)]),
                // The second commit conflicts, so the first one is not written either.
                CommitGroup(
                    commits: [.exists("c", 1, snapshot: true), .exists("b", 1)], responses: []),
                // The task is free, because the first group was written.
                CommitGroup(
                    commits: [.exists("d", 1, snapshot: true, inserting: ["t"])], responses: []),
                // The response exists already, because the first group was written.
                CommitGroup(commits: [.exists("f", 1, snapshot: true)], responses: [.to(key)]),
                CommitGroup(
                    commits: [.exists("e", 1, snapshot: true, inserting: ["u", "t"])],
                    responses: []),
                // This group is refused, and its deletions are not applied either.
                CommitGroup(
                    commits: [.exists("h", 2, inserting: ["t"], deleting: ["v"])], responses: []),
                CommitGroup(
                    commits: [.exists("g", 1, snapshot: true, inserting: ["u"])], responses: []),
            ]) {}
            #expect(
                outcomes == [
                    nil, .conflict(list: "b"), nil, .conflict(list: "c"), .taskTaken(id: "t"),
                    .taskTaken(id: "t"), nil,
                ])
            #expect(
                try store.summaries(after: nil, limit: 9).map(\.id) == ["a", "b", "d", "g", "h"])
            #expect(
                try store.lists(containing: ["t", "u", "v"]) == ["t": "d", "u": "g", "v": "h"])
            #expect(try store.responses(to: [key]) == [key: .to(key)])
            try store.close()
        }
    }

    // MARK: Concurrency

    @Test func aConcurrentlyCreatedListIsCreatedOnceWithoutAffectingOthers() throws {
        try withDatabase { url, _ in
            let stores = try (0..<3).map { _ in try openStore(url) }
            for round in 0..<20 {
                let outcomes = Mutex<[[StoreError?]]>([])
                let faults = Mutex<[String]>([])
                try onThreads(stores.count) { index in
                    do {
                        let outcome = try stores[index].append([
                            CommitGroup(
                                commits: [.exists("shared-\(round)", 1, snapshot: true)],
                                responses: []),
                            CommitGroup(
                                commits: [.exists("own-\(round)-\(index)", 1, snapshot: true)],
                                responses: []),
                        ]) {}
                        outcomes.withLock { $0.append(outcome) }
                    } catch {
                        faults.withLock { $0.append("\(error)") }
                    }
                }
                #expect(faults.withLock { $0 } == [])
                let all = outcomes.withLock { $0 }
                #expect(all.count(where: { $0[0] == nil }) == 1)
                #expect(
                    all.count(where: { $0[0] == .conflict(list: "shared-\(round)") })
                        == stores.count - 1)
                #expect(all.allSatisfy { $0[1] == nil })
            }
            for store in stores { try store.close() }
        }
    }

    /// Like a server that is suspended in the middle of a commit, or loses its network.
    @Test func aStalledTransactionReleasesItsLocks() throws {
        try withDatabase { url, name in
            let store = try openStore(url)
            try store.append([.exists("a", 1, snapshot: true)])
            let settings = ConnectionSettings(url: url, timeoutSeconds: hangSeconds)
            let server = try PostgresServer(settings) { _ in }
            let other = try server.connect()
            let limit = "idle_in_transaction_session_timeout"
            let setting = Statement(
                "setting", "SELECT setting::bigint FROM pg_settings WHERE name = '\(limit)'")
            #expect(try other.run([setting()])[0].int(0, 0) == Int(hangSeconds * 200))
            try other.run([Statement("shorten", "SET \(limit) = '10ms'")()])
            try other.run([
                Statement.begin(),
                Statement("lock", "SELECT id FROM reorderd.list WHERE id = 'a' FOR UPDATE")(),
            ])
            #expect(
                try store.append([CommitGroup(commits: [.exists("a", 2)], responses: [])]) {} == [
                    nil
                ]
            )
            #expect(throws: PostgresError.self) { try other.run([Statement.commit()]) }
            try store.close()
        }
    }

    @Test(arguments: [false, true])
    func listStatesContainVersionsAndMissingChanges(usesFallbacks: Bool) throws {
        try withDatabase { url, _ in
            let one = try openStore(url, usesFallbacks: usesFallbacks)
            let other = try openStore(url, usesFallbacks: usesFallbacks)
            try one.fill("a", to: 5)
            try one.fill("b", to: 100)
            try one.append([.exists("c", 1, snapshot: true), .deleted("c", 2)])
            let listStates = try other.listStates(
                of: [("a", 3), ("b", 20), ("c", 1), ("d", 0)].map {
                    ListStateQuery(list: $0.0, known: $0.1)
                })
            #expect(listStates["a"]?.version == 5)
            #expect(listStates["a"]?.changes == StoredChange.expected("a", 4...5))
            #expect(listStates["b"]?.version == 100)
            #expect(listStates["b"]?.changes == [])
            #expect(listStates["c"]?.exists == false)
            #expect(listStates["d"] == nil)
            let current = try other.listStates(of: [ListStateQuery(list: "a", known: nil)])
            #expect(current["a"]?.changes == [])
            #expect(current["a"]?.snapshotVersion == 1)
            try one.close()
            try other.close()
        }
    }

    @Test func otherStoresAreNotifiedOfCommits() throws {
        try withDatabase { url, name in
            let (one, other) = (try openStore(url), try openStore(url))
            let heard = Mutex<[StoreNotification]>([])
            other.listen { news in heard.withLock { $0.append(news) } }
            func wait(for news: StoreNotification, times: Int = 1) throws {
                try waitUntil { heard.withLock { heard in heard.count { $0 == news } } >= times }
            }
            try wait(for: .possiblyMissed)
            // More lists than one notification can contain.
            let lists = (0..<1_000).map { "list-number-\($0)" }
            try one.append(lists.map { .exists($0, 1, snapshot: true) })
            try waitUntil {
                let changed = heard.withLock(\.self).compactMap { news in
                    if case .changed(let list, version: 1) = news { list } else { nil }
                }
                return Set(changed).isSuperset(of: lists)
            }
            try one.append([.deleted("list-number-7", 2)])
            try wait(for: .changed(list: "list-number-7", version: 2))
            #expect(try one.addToken(StoredToken(id: "t", bytes: [1])))
            try wait(for: .tokenChanged(id: "t"))
            try one.removeTokens(["t"])
            try wait(for: .tokenChanged(id: "t"), times: 2)
            // The deletion of a list with links, and of one without.
            let list = "list-number-9"
            #expect(try one.addToken(StoredToken(id: "u", bytes: [1], list: list)))
            try wait(for: .tokenChanged(id: "u"))
            try one.append([.deleted(list, 2)])
            try wait(for: .tokenChanged(id: "u"), times: 2)
            try one.append([.deleted("list-number-10", 2)])
            try wait(for: .changed(list: "list-number-10", version: 2))
            for id in ["t", "u"] {
                #expect(heard.withLock(\.self).count { $0 == .tokenChanged(id: id) } == 2)
            }
            #expect(!heard.withLock(\.self).contains(.tokensChanged))
            heard.withLock { $0 = [] }
            try PostgresCluster.shared().endConnections(to: name)
            // Once when the connection is lost, and once when another one is open.
            try wait(for: .possiblyMissed, times: 2)
            try one.append([.exists("list-number-8", 2)])
            try wait(for: .changed(list: "list-number-8", version: 2))
            try one.close()
            try other.close()
        }
    }

    /// Many concurrent appends to few lists and few tasks, each store with its own connections,
    /// while connections break at random moments. Each append is written completely and once if it
    /// succeeds, and not at all if it fails; deadlocks never occur.
    @Test(arguments: [false, true], [false, true])
    func concurrentAppendsAreWrittenOnceOrNotAtAll(isCut: Bool, usesFallbacks: Bool) throws {
        let seed = RandomRun.seed
        try withDatabase { url, name in
            let cluster = try PostgresCluster.shared()
            let faults = Mutex<[String]>([])
            let written = Mutex<[String: Int]>([:])
            let isDone = Atomic<Int>(0)
            let rounds = min(RandomRun.operations(400), 20_000) / 4
            // The stores are opened before connections break, because opening a store without a
            // server fails.
            let stores = try (0..<4).map { _ in try openStore(url, usesFallbacks: usesFallbacks) }
            try onThreads(isCut ? 5 : 4) { thread in
                if thread == 4 {
                    while isDone.load(ordering: .relaxed) < 4 {
                        try? cluster.endConnections(to: name)
                    }
                    return
                }
                defer { isDone.add(1, ordering: .relaxed) }
                do {
                    let random = SeededGenerator(seed: seed &+ UInt64(thread))
                    var writer = RandomWriter(
                        name: "\(thread)", store: stores[thread], random: random)
                    for _ in 0..<rounds { try writer.write() }
                    written.withLock { $0.merge(writer.written) { $0 + $1 } }
                    try writer.store.close()
                } catch {
                    faults.withLock { $0.append("\(error)") }
                }
            }
            #expect(faults.withLock { $0 } == [], "REORDERD_SEED=\(seed)")
            let store = try openStore(url)
            var found: [String: Int] = [:]
            for summary in try store.summaries(after: nil, limit: 100) {
                let changes = try #require(
                    try store.changes(of: summary.id, after: 0, limit: .max))
                #expect(changes.map(\.version) == Array(1...summary.version))
                for change in changes {
                    found[String(decoding: change.bytes, as: UTF8.self), default: 0] += 1
                }
            }
            #expect(found == written.withLock { $0 }, "REORDERD_SEED=\(seed)")
            let deadlocks = try cluster.psql(
                "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
                in: name)
            #expect(deadlocks == "0", "REORDERD_SEED=\(seed)")
            try store.close()
        }
    }
}

/// Appends to random lists, and records the successful appends. Concurrent writers can make an
/// append impossible.
private struct RandomWriter {
    let name: String
    let store: PostgresListStore
    var random: SeededGenerator
    private(set) var written: [String: Int] = [:]
    private var count = 0

    init(name: String, store: PostgresListStore, random: SeededGenerator) {
        self.name = name
        self.store = store
        self.random = random
    }

    mutating func write() throws {
        let lists = (0..<6).map { "l\($0)" }.shuffled(using: &random).prefix(3)
        var groups: [CommitGroup] = []
        let questions = lists.map { ListStateQuery(list: $0, known: nil) }
        guard let listStates = try reached({ try store.listStates(of: questions) }) else { return }
        for list in lists {
            count += 1
            let version = (listStates[list]?.version ?? 0) + 1
            let tasks = (0..<12).map { "t\($0)" }.shuffled(using: &random)
            let commit = ListCommit(
                list: list, version: version, at: 0, change: Array("\(name)-\(count)".utf8),
                snapshot: version % 5 == 1 ? [1] : nil,
                stateAfter: .exists(title: "", count: 0, open: 0),
                insertedTasks: Array(tasks.prefix(2)), deletedTasks: Array(tasks.dropFirst(4)))
            groups.append(CommitGroup(commits: [commit], responses: []))
        }
        guard let outcomes = try reached({ try store.append(groups) {} }) else { return }
        for (group, outcome) in zip(groups, outcomes) where outcome == nil {
            for commit in group.commits {
                written[String(decoding: commit.change, as: UTF8.self), default: 0] += 1
            }
        }
    }

    /// nil if the store can't be reached: then nothing was written.
    private func reached<Value>(_ body: () throws -> Value) throws -> Value? {
        do {
            return try body()
        } catch StoreError.unavailable {
            return nil
        }
    }
}
