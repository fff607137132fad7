import PostgresTesting
import ReorderStore
import Testing
import Waiting

@testable import PostgresStore

/// Commits that wait for an unreachable standby. The tests use one cluster, one after another.
@Suite(.serialized, .enabled(if: PostgresCluster.isTested))
struct PostgresStandbyTests {
    private static let cluster = Result { try PostgresCluster() }

    /// A database with a list at version 1 and an unreachable standby, and two stores on it.
    private struct Test {
        let cluster: PostgresCluster
        let name: String
        let patient: PostgresListStore
        /// A store with a short time limit.
        let hasty: PostgresListStore

        func setStandby(_ standby: String) throws {
            _ = try cluster.psql(
                "ALTER SYSTEM SET synchronous_standby_names = '\(standby)'", in: name)
            _ = try cluster.psql("SELECT pg_reload_conf()", in: name)
            try waitUntil {
                try cluster.psql("SHOW synchronous_standby_names", in: name) == standby
            }
        }

        /// Whether a connection waits for the standby.
        func isCommitWaiting() throws -> Bool {
            try cluster.psql("SELECT count(*) FROM \(Self.waiting)", in: name) != "0"
        }

        private static let waiting =
            "pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'reorderd'"

        /// Ends the connection whose commit waits for the standby: then all others see the commit.
        func cutOff() throws {
            try waitUntil { try isCommitWaiting() }
            _ = try cluster.psql("SELECT pg_terminate_backend(pid) FROM \(Self.waiting)", in: name)
            let seen = "SELECT version FROM reorderd.list WHERE id = 'l'"
            try waitUntil { try cluster.psql(seen, in: name) == "2" }
        }

        /// An append by the hasty store whose outcome is unknown. On a busy machine the time limit can end before
        /// anything was sent; then it is repeated.
        func appendWithUnknownOutcome() throws {
            try waitUntil {
                do throws(StoreError) {
                    try hasty.append([.exists("l", 2)])
                } catch {
                    if case .unavailable = error { return false }
                    if case .unknown = error { return true }
                }
                Issue.record("the outcome is known")
                return true
            }
        }

        /// The next version is committed, or it is free.
        func expectVersion2() throws {
            let outcomes = try patient.append([
                CommitGroup(commits: [.exists("l", 2)], responses: [])
            ]) {}
            #expect(outcomes == [nil] || outcomes == [.conflict(list: "l")])
            #expect(try patient.changes(of: "l", after: 1, limit: 9)?.map(\.version) == [2])
        }
    }

    private func run(hastySeconds: Double = 1, _ body: (Test) throws -> Void) throws {
        let cluster = try Self.cluster.get()
        try withDatabase(in: cluster) { url, name in
            let patient = try openStore(url)
            try patient.append([.exists("l", 1, snapshot: true), .exists("m", 1, snapshot: true)])
            var options = PostgresListStore.Options(timeoutSeconds: hastySeconds)
            options.outcomeSeconds = hastySeconds
            let hasty = try repeated { try PostgresListStore(url: url, options: options) }
            // So that opening connections does not count against its time limit.
            try repeated {
                let version = try hasty.load("m")?.version ?? 0
                try hasty.append([.exists("m", version + 1)])
            }
            let test = Test(cluster: cluster, name: name, patient: patient, hasty: hasty)
            defer { try? test.setStandby("") }
            try test.setStandby("absent")
            try body(test)
            try test.setStandby("")
            try patient.close()
            try hasty.close()
        }
    }

    @Test func onlyCommitsThatTheStandbyLacksAreNotShown() throws {
        try run { test in
            let question = ListStateQuery(list: "l", known: 1)
            #expect(try test.patient.listStates(of: [question])["l"]?.version == 1)
            let writing = Background {
                #expect(throws: Never.self) {
                    try test.patient.append([.exists("l", 2, inserting: ["t"])])
                }
            }
            try test.cutOff()
            let reads: [(PostgresListStore) throws -> Void] = [
                { _ = try $0.listStates(of: [question]) },
                { _ = try $0.load("l") },
                { _ = try $0.changes(of: "l", after: 0, limit: 9) },
                { _ = try $0.lists(containing: ["t"]) },
                { _ = try $0.summaries(after: nil, limit: 9) },
                { _ = try $0.responses(to: [StoredResponseKey(.list, of: "l", "k")]) },
            ]
            for (index, read) in reads.enumerated() {
                let error = #expect(throws: StoreError.self, "read \(index)") {
                    try read(test.hasty)
                }
                if case .unavailable? = error {} else { Issue.record("\(error as Any)") }
            }
            try test.setStandby("")
            try writing.wait()
            #expect(try test.patient.listStates(of: [question])["l"]?.version == 2)
            #expect(try test.patient.lists(containing: ["t"]) == ["t": "l"])
        }
    }

    /// The commit was sent, and the store closes before its outcome is known.
    @Test func aCommitInterruptedByClosingIsUnknown() throws {
        try run(hastySeconds: hangSeconds) { test in
            let writing = Background {
                let error = #expect(throws: StoreError.self) {
                    try test.hasty.append([.exists("l", 2)])
                }
                if case .unknown? = error {} else { Issue.record("\(error as Any)") }
            }
            try waitUntil { try test.isCommitWaiting() }
            test.hasty.prepareToClose(inSeconds: 0)
            try writing.wait()
            try test.setStandby("")
            try test.expectVersion2()
        }
    }

    /// A backend that waits for a standby does not notice that its client has gone.
    @Test func aTimedOutCallReleasesItsConnectionAndItsOutcomeIsUnknown() throws {
        try run { test in
            try test.appendWithUnknownOutcome()
            try waitUntil { try !test.isCommitWaiting() }
            try test.setStandby("")
            try test.expectVersion2()
        }
    }
}
