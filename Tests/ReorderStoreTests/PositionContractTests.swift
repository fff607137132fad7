import PostgresTesting
import ReorderStore
import Synchronization
import Testing
import Waiting

@testable import PostgresStore

/// The contract's rules about positions, for every store.
@Suite
struct PositionContractTests {
    @Test(arguments: StoreKind.all)
    func theChangesOfAllListsHaveConsecutivePositions(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try #expect(test.store.lastPosition() == 0)
            try #expect(test.store.journal(after: 0, limit: 10) == [])
            try test.store.append([
                .exists("b", 1, snapshot: true), .exists("a", 1, snapshot: true),
            ])
            let binned = ListCommit.Binned(title: "b", count: 0)
            try test.store.append([.exists("a", 2), .deleted("b", 2, binned: binned)])
            try test.store.append([.exists("b", 3, snapshot: true, isRestored: true)])
            try test.reopen()
            let all = entries([("b", 1), ("a", 1), ("a", 2), ("b", 2), ("b", 3)])
            try #expect(test.store.lastPosition() == 5)
            try #expect(test.store.journal(after: 0, limit: 10) == all)
            try #expect(test.store.journal(after: 1, limit: 2) == Array(all[1...2]))
            try #expect(test.store.journal(after: 5, limit: 2) == [])
            try #expect(test.store.journal(after: 6, limit: 2) == nil)
        }
    }

    @Test(arguments: StoreKind.all)
    func largeChangesHavePositionsToo(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([.exists("a", 1, snapshot: true)])
            let tasks = (0...LargeCommit().tasks).map { "t\($0)" }
            try test.store.append([
                .exists("b", 1, snapshot: true),
                .exists("c", 1, count: tasks.count, snapshot: true, inserting: tasks),
                .exists("a", 2),
            ])
            try test.store.append([.exists("b", 2)])
            try #expect(
                test.store.journal(after: 0, limit: 10)
                    == entries([("a", 1), ("b", 1), ("c", 1), ("a", 2), ("b", 2)]))
        }
    }

    /// All other appends wait while an append has the last position.
    @Test func largeChangesAreWrittenBeforeThePosition() throws {
        func statements(_ commits: [ListCommit]) -> [String] {
            let plan = AppendPlan([CommitGroup(commits: commits, responses: [])], to: LockedState())
            let calls = PostgresJournalWriter.calls(for: plan, commitID: 1, notifies: false).calls
            return calls.map(\.statement.name)
        }
        let tasks = (0...LargeCommit().tasks).map { "t\($0)" }
        let small: ListCommit = .exists("a", 1, snapshot: true)
        let large: ListCommit = .exists("a", 1, snapshot: true, inserting: tasks)
        #expect(statements([small]).suffix(2) == ["advance-position", "insert-changes"])
        #expect(statements([large]).suffix(2) == ["advance-position", "update-positions"])
        #expect(statements([large]).contains("insert-changes"))
    }

    @Test(arguments: StoreKind.all)
    func anAppendThatThrowsLeavesNoGap(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([.exists("a", 1, snapshot: true, inserting: ["t"])])
            #expect(throws: StoreError.taskTaken(id: "t")) {
                try test.store.append([
                    .exists("a", 2), .exists("b", 1, snapshot: true, inserting: ["t"]),
                ])
            }
            try test.store.append([.exists("a", 2)])
            try #expect(
                test.store.journal(after: 0, limit: 10) == entries([("a", 1), ("a", 2)]))
        }
    }

    @Test(arguments: StoreKind.all)
    func noPageGoesPastAPrunedChange(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([.exists("b", 1, snapshot: true)])
            try test.store.appendAged("a", 1...200, snapshots: [1, 70, 180])
            try test.store.pass(olderThan: .max, keepingLast: 0)
            // The changes of a up to version 70 are pruned. They have the positions 2 to 71.
            for position in [0, 1, 70] {
                let page = try test.store.journal(after: position, limit: 10)
                #expect(page?.contains { $0.position > 1 } != true, "\(position)")
            }
            try #expect(test.store.journal(after: 71, limit: 300)?.count == 130)
            try test.store.append([.exists("b", 2)])
            try #expect(
                test.store.journal(after: 201, limit: 300)
                    == [
                        JournalEntry(
                            position: 202, list: "b",
                            change: StoredChange.expected("b", 2...2)[0])
                    ])
        }
    }

    @Test(arguments: StoreKind.all)
    func headsIncludeDeletedLists(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([
                .exists("c", 1, snapshot: true), .exists("a", 1, snapshot: true),
                .exists("b", 1, snapshot: true), .deleted("b", 2), .exists("a", 2),
            ])
            let heads = [
                ListHead(list: "a", version: 2, exists: true, position: 5),
                ListHead(list: "b", version: 2, exists: false, position: 4),
                ListHead(list: "c", version: 1, exists: true, position: 1),
            ]
            try #expect(test.store.heads(after: nil, limit: 9) == heads)
            try #expect(test.store.heads(after: "a", limit: 1) == [heads[1]])
            try #expect(test.store.heads(after: "aa", limit: 9) == Array(heads[1...]))
            try #expect(test.store.heads(after: "c", limit: 9) == [])
        }
    }

    /// A reader that always asks for the changes after the last one that it has seen gets each
    /// change once and in order, while others write.
    @Test(arguments: StoreKind.all)
    func aReaderMissesNothingWhileOthersWrite(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try expectCompleteReading(of: [test.store, test.store], by: test.store)
        }
    }

    @Test(.enabled(if: PostgresCluster.isTested))
    func aReaderMissesNothingOfOtherServers() throws {
        try withDatabase { url, _ in
            let stores = try (0..<4).map { _ in try openStore(url) }
            try expectCompleteReading(of: Array(stores.dropFirst()), by: stores[0])
            for store in stores { try store.close() }
        }
    }

    /// Tables of the second version, which had no positions.
    @Test(.enabled(if: PostgresCluster.isTested))
    func changesOfOlderTablesHaveNoPositions() throws {
        try withDatabase { url, name in
            var store = try openStore(url)
            try store.append([.exists("a", 1, snapshot: true), .exists("b", 1, snapshot: true)])
            try store.close()
            _ = try PostgresCluster.shared().psql(
                """
                ALTER TABLE reorderd.change DROP COLUMN position;
                DELETE FROM reorderd.schema_version WHERE version = 0;
                ALTER TABLE reorderd.schema_version DROP COLUMN position;
                UPDATE reorderd.schema_version SET version = 2
                """, in: name)
            #expect(
                try PostgresListStore.migrate(url: url, options: .patient) == (
                    2, PostgresSchema.version
                ))
            store = try openStore(url)
            #expect(try store.lastPosition() == 0)
            #expect(try store.journal(after: 0, limit: 9) == [])
            try store.append([.exists("b", 2)])
            #expect(
                try store.journal(after: 0, limit: 9)
                    == [
                        JournalEntry(
                            position: 1, list: "b", change: StoredChange.expected("b", 2...2)[0])
                    ])
            #expect(try store.heads(after: nil, limit: 9).map(\.position) == [0, 1])
            // If the counter is lost, a migration restores it.
            try store.close()
            _ = try PostgresCluster.shared().psql("DELETE FROM reorderd.schema_version", in: name)
            _ = try PostgresListStore.migrate(url: url, options: .patient)
            store = try openStore(url)
            try store.append([.exists("b", 3)])
            #expect(try store.lastPosition() == 2)
            try store.close()
        }
    }

    private func expectCompleteReading(
        of writers: [any ListStore], by reader: any ListStore
    ) throws {
        let rounds = 60
        let failures = Mutex<[String]>([])
        let open = Atomic<Int>(writers.count)
        let threads = writers.enumerated().map { number, writer in
            Background {
                defer { open.subtract(1, ordering: .sequentiallyConsistent) }
                do {
                    for version in 1...rounds {
                        try writer.append(
                            (0..<3).map {
                                .exists("l\(number)-\($0)", version, snapshot: version == 1)
                            })
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        var (position, versions, isLast) = (0, [String: Int](), false)
        repeat {
            isLast = open.load(ordering: .sequentiallyConsistent) == 0
            let page = try #require(try reader.journal(after: position, limit: 50))
            for entry in page {
                #expect(entry.position == position + 1)
                #expect(entry.change.version == versions[entry.list, default: 0] + 1)
                position = entry.position
                versions[entry.list] = entry.change.version
            }
            if !page.isEmpty { isLast = false }
        } while !isLast
        for thread in threads { try thread.wait() }
        #expect(failures.withLock { $0 } == [])
        #expect(versions.count == 3 * writers.count)
        #expect(versions.values.allSatisfy { $0 == rounds })
    }

    private func entries(_ changes: [(String, Int)]) -> [JournalEntry] {
        changes.enumerated().map { index, change in
            JournalEntry(
                position: index + 1, list: change.0,
                change: StoredChange.expected(change.0, change.1...change.1)[0])
        }
    }
}
