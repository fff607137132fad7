import Foundation
import PostgresTesting
import ReorderStore
import Testing
import Waiting

@testable import PostgresStore

/// A reachable server that returns errors.
@Suite(.enabled(if: PostgresCluster.isTested))
struct PostgresErrorTests {
    private func ask(_ sql: String, in database: String) throws -> String {
        try PostgresCluster.shared().psql(sql, in: database)
    }

    // MARK: Missing tables and privileges

    /// Such an error is not an outage. The log reports the error, without the statement.
    @Test func anErrorForAReadIsAFailure() throws {
        try withDatabase { url, name in
            let store = try openStore(url)
            try store.append([.exists("a", 1, snapshot: true)])
            _ = try ask("DROP TABLE reorderd.change", in: name)
            let calls: [() throws -> Void] = [
                { _ = try store.load("a") },
                { _ = try store.changes(of: "a", after: 0, limit: 1) },
                { _ = try store.listStates(of: [ListStateQuery(list: "a", known: nil)]) },
            ]
            for call in calls {
                let error = #expect(throws: StoreError.self) { try call() }
                guard case .failed(let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(reason == "ERROR:  relation \"reorderd.change\" does not exist (42P01)")
            }
            #expect(store.isReachable)
            try store.close()
        }
    }

    @Test(arguments: [
        "DELETE FROM reorderd.schema_version", "DROP TABLE reorderd.change, reorderd.list",
    ])
    func missingTablesAreCreatedAgain(statement: String) throws {
        try withDatabase { url, name in
            _ = try ask("DELETE FROM reorderd.schema_version", in: name)
            _ = try ask(statement, in: name)
            #expect(throws: StoreError.self) { try openStore(url) }
            let versions = try PostgresListStore.migrate(url: url, options: .patient)
            #expect(versions == (0, PostgresSchema.version))
            let store = try openStore(url)
            try store.append([.exists("a", 1, snapshot: true)])
            #expect(try store.load("a")?.version == 1)
            try store.close()
        }
    }

    @Test func titlesDoNotDependOnTheDatabasesEncoding() throws {
        try withDatabase { url, _ in
            let store = try openStore(url)
            let titles = ["", "a\u{0}b", "e\u{301}", "\u{1F468}\u{200D}\u{1F469}", "\u{FFFF}"]
            for (index, title) in titles.enumerated() {
                try store.append([.exists("l\(index)", 1, title: title, snapshot: true)])
            }
            let found = try store.summaries(after: nil, limit: 9).map(\.title.utf8).map(Array.init)
            #expect(found == titles.map { Array($0.utf8) })
            try store.close()
        }
    }

    // MARK: Missing features

    /// Simulates an engine that lacks some joins, and can only lock rows of one machine. Policies
    /// refuse outer joins, and locks of rows that are found by more than one key.
    @Test func missingFeaturesAreReplaced() throws {
        try withDatabase { url, name in
            // Not a superuser, because policies do not apply to those.
            let role = "role-\(UUID().uuidString)"
            defer { _ = try? ask("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"", in: name) }
            _ = try ask(
                """
                CREATE ROLE "\(role)" LOGIN;
                GRANT USAGE ON SCHEMA reorderd TO "\(role)";
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA reorderd TO "\(role)";
                CREATE FUNCTION reorderd.is_taken() RETURNS boolean LANGUAGE plpgsql AS $$
                BEGIN
                    IF current_query() ~ 'LEFT JOIN' OR current_query() ~ 'FOR UPDATE'
                        AND current_query() !~ ' = \\$1 FOR UPDATE' THEN
                        RAISE feature_not_supported;
                    END IF;
                    RETURN true;
                END $$;
                """, in: name)
            for table in ["list", "task", "answer"] {
                _ = try ask(
                    """
                    ALTER TABLE reorderd.\(table) ENABLE ROW LEVEL SECURITY;
                    CREATE POLICY alone ON reorderd.\(table) USING (reorderd.is_taken());
                    """, in: name)
            }
            let user = url.replacing("://reorderd@", with: "://\(role)@")
            try #require(user != url)
            let store = try openStore(user)
            try store.append([
                .exists("a", 1, snapshot: true, inserting: ["t", "u"]),
                .exists("b", 1, snapshot: true),
            ])
            let settings = ConnectionSettings(url: user, timeoutSeconds: hangSeconds)
            let engine = try PostgresServer(settings) { _ in }
            let both = "SELECT id FROM reorderd.list WHERE id = ANY('{a,b}') FOR UPDATE"
            let refusal = #expect(throws: PostgresError.self) {
                try engine.connect().run([Statement("both", both)()])
            }
            guard case .refused(state: "0A000", _) = refusal else {
                Issue.record("\(String(describing: refusal))")
                return
            }
            let key = StoredResponseKey(.list, of: "a", "k")
            let outcomes = try store.append([
                CommitGroup(commits: [.deleted("a", 2)], responses: [.to(key, expires: 5)]),
                CommitGroup(commits: [.exists("b", 2, inserting: ["u"])], responses: []),
                CommitGroup(commits: [.exists("a", 2)], responses: []),
            ]) {}
            #expect(outcomes == [nil, nil, .conflict(list: "a")])
            #expect(try store.lists(containing: ["t", "u"]) == ["u": "b"])
            let listStates = try store.listStates(of: [ListStateQuery(list: "b", known: 1)])
            #expect(listStates["b"]?.changes == StoredChange.expected("b", 2...2))
            #expect(try !store.pruneChanges(olderThan: .max, keepingLast: 0, limit: 10))
            #expect(try store.changes(of: "b", after: 0, limit: 9) == nil)
            #expect(try !store.removeResponses(expiredAt: 6, limit: 10))
            #expect(try store.responses(to: [key]) == [:])
            try store.close()
            // A new store tries the unsupported statement first, because it has not seen the error
            // yet.
            let other = try openStore(user)
            #expect(try !other.removeResponses(expiredAt: 6, limit: 10))
            try other.append([.exists("a", 3, snapshot: true, inserting: ["t"])])
            #expect(try other.lists(containing: ["t"]) == ["t": "a"])
            try other.close()
        }
    }
}
