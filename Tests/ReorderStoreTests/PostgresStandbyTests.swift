import Dispatch
import Foundation
import PostgresTesting
import ReorderStore
import Testing

@testable import PostgresStore

/// Commits that wait for an unreachable standby.
@Suite(.enabled(if: PostgresCluster.isTested))
struct PostgresStandbyTests {
    private static let database = "lists"

    /// Stores on the test's own PostgreSQL, with a list at version 1: one with a long time limit,
    /// and one with a short one.
    private func withStores(
        hastySeconds: Double,
        _ body: (_ patient: PostgresListStore, _ hasty: PostgresListStore, PostgresCluster) throws
            -> Void
    ) throws {
        let cluster = try PostgresCluster()
        let url = try cluster.url(ofDatabase: Self.database)
        _ = try PostgresListStore.migrate(url: url)
        var options = PostgresListStore.Options(timeoutSeconds: 600)
        let patient = try PostgresListStore(url: url, options: options)
        try patient.append([.exists("l", 1, snapshot: true)])
        options.timeoutSeconds = hastySeconds
        options.outcomeSeconds = hastySeconds
        let hasty = try PostgresListStore(url: url, options: options)
        // So that opening connections does not count against its time limit.
        try hasty.append([.exists("m", 1, snapshot: true)])
        try setStandby("absent", cluster)
        try body(patient, hasty, cluster)
        try patient.close()
        try hasty.close()
    }

    private func setStandby(_ name: String, _ cluster: PostgresCluster) throws {
        _ = try cluster.psql(
            "ALTER SYSTEM SET synchronous_standby_names = '\(name)'", in: "postgres")
        _ = try cluster.psql("SELECT pg_reload_conf()", in: "postgres")
        while try cluster.psql("SHOW synchronous_standby_names", in: Self.database) != name {}
    }

    /// Ends the connection whose commit waits for the standby: then all others see the commit.
    private func cutOff(_ cluster: PostgresCluster) throws {
        let cut = """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE wait_event = 'SyncRep' AND application_name = 'reorderd'
            """
        while try cluster.psql(cut, in: "postgres") == "0" {}
        let seen = "SELECT max(version) FROM reorderd.list"
        while try cluster.psql(seen, in: Self.database) != "2" {}
    }

    @Test func commitsThatTheStandbyLacksAreNotShown() throws {
        try withStores(hastySeconds: 5) { patient, hasty, cluster in
            let written = DispatchSemaphore(value: 0)
            Thread {
                #expect(throws: Never.self) {
                    try patient.append([.exists("l", 2, inserting: ["t"])])
                }
                written.signal()
            }.start()
            try cutOff(cluster)
            let question = ListStateQuery(list: "l", known: 1)
            let reads: [(PostgresListStore) throws -> Void] = [
                { _ = try $0.listStates(of: [question]) },
                { _ = try $0.load("l") },
                { _ = try $0.changes(of: "l", after: 0, limit: 9) },
                { _ = try $0.lists(containing: ["t"]) },
                { _ = try $0.summaries(after: nil, limit: 9) },
                { _ = try $0.responses(to: [StoredResponseKey(.list, of: "l", "k")]) },
            ]
            for (index, read) in reads.enumerated() {
                let error = #expect(throws: StoreError.self, "read \(index)") { try read(hasty) }
                #expect(error?.isUnavailable == true)
            }
            try setStandby("", cluster)
            written.wait()
            #expect(try patient.listStates(of: [question])["l"]?.version == 2)
            #expect(try patient.lists(containing: ["t"]) == ["t": "l"])
        }
    }

    @Test func confirmedVersionsAreReadableWithoutTheStandby() throws {
        try withStores(hastySeconds: 10) { patient, _, _ in
            let listStates = try patient.listStates(of: [ListStateQuery(list: "l", known: 1)])
            #expect(listStates["l"]?.version == 1)
        }
    }

    /// The commit was sent, and the store closes before its outcome is known.
    @Test func aCommitInterruptedByClosingIsUnknown() throws {
        try withStores(hastySeconds: 600) { patient, hasty, cluster in
            let ended = DispatchSemaphore(value: 0)
            Thread {
                let error = #expect(throws: StoreError.self) { try hasty.append([.exists("l", 2)]) }
                #expect(error?.isUnknown == true)
                ended.signal()
            }.start()
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            while try cluster.psql(waiting, in: "postgres") == "0" {}
            hasty.prepareToClose(inSeconds: 0)
            try #require(ended.wait(timeout: .now() + 60) == .success)
            try setStandby("", cluster)
            let outcomes = try patient.append([
                CommitGroup(commits: [.exists("l", 2)], responses: [])
            ]) {}
            #expect(outcomes == [nil] || outcomes == [.conflict(list: "l")])
        }
    }

    /// A backend that waits for a standby does not notice that its client has gone.
    @Test func aTimedOutCallReleasesItsConnection() throws {
        try withStores(hastySeconds: 5) { _, hasty, cluster in
            #expect(throws: StoreError.self) { try hasty.append([.exists("l", 2)]) }
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            let deadline = Date(timeIntervalSinceNow: 60)
            while try cluster.psql(waiting, in: "postgres") != "0", Date() < deadline {}
            #expect(try cluster.psql(waiting, in: "postgres") == "0")
            try setStandby("", cluster)
        }
    }

    @Test func anOutcomeThatIsNotDeterminedInTimeIsUnknown() throws {
        try withStores(hastySeconds: 5) { patient, hasty, cluster in
            let error = #expect(throws: StoreError.self) { try hasty.append([.exists("l", 2)]) }
            #expect(error?.isUnknown == true)
            try setStandby("", cluster)
            // By now it is committed, or the version is free.
            let outcomes = try patient.append([
                CommitGroup(commits: [.exists("l", 2)], responses: [])
            ]) {}
            #expect(outcomes == [nil] || outcomes == [.conflict(list: "l")])
            #expect(try patient.changes(of: "l", after: 1, limit: 9)?.map(\.version) == [2])
        }
    }
}

extension StoreError {
    fileprivate var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
    fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
}
