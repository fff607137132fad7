import Foundation
import PostgresTesting
import ProcessTesting
import Testing

/// `reorderd doctor` with a store in PostgreSQL.
@Suite(.enabled(if: PostgresCluster.isTested)) struct DoctorDatabaseTests {
    private static func withDatabase(
        _ body: (_ cluster: PostgresCluster, _ name: String, _ url: String) throws -> Void
    ) throws {
        let name = "test-\(UUID().uuidString)"
        let cluster = try PostgresCluster.shared()
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        try body(cluster, name, url)
    }

    @Test func tablesAndRightsAreChecked() throws {
        try Self.withDatabase { cluster, name, url in
            var found = try DoctorTests.doctor("--store", url)
            #expect(found.exitCode == 1)
            #expect(found.has("ok", "database", "is a primary, and accepts writes"), "\(found)")
            #expect(found.has("problem", "tables", "they do not exist. Run \"reorderd migrate\""))
            #expect(try DoctorTests.doctor("--store", url, "--migrate").exitCode == 0)
            #expect(try ServerProcess.run(["migrate", "--store", url]).exitCode == 0)
            found = try DoctorTests.doctor("--store", url)
            #expect(found.exitCode == 0, "\(found)")
            #expect(found.has("ok", "tables", "the role has its rights"))

            let role = "doctor_\(UUID().uuidString.prefix(8).lowercased())"
            _ = try cluster.psql("CREATE ROLE \(role) LOGIN", in: name)
            let other = url.replacing("reorderd@", with: "\(role)@")
            found = try DoctorTests.doctor("--store", other)
            #expect(found.exitCode == 1)
            #expect(found.has("problem", "database", "permission denied for schema"), "\(found)")
            _ = try cluster.psql(
                """
                GRANT USAGE ON SCHEMA reorderd TO \(role);
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA reorderd TO \(role);
                REVOKE INSERT ON reorderd.list FROM \(role)
                """, in: name)
            found = try DoctorTests.doctor("--store", other)
            #expect(found.has("problem", "tables", "lacks rights: list (INSERT)."), "\(found)")

            _ = try cluster.psql("INSERT INTO reorderd.schema_version VALUES (99)", in: name)
            found = try DoctorTests.doctor("--store", url)
            #expect(found.has("problem", "tables", "version 99"), "\(found)")
            _ = try cluster.psql("DROP OWNED BY \(role); DROP ROLE \(role)", in: name)
        }
    }

    @Test func aDatabaseThatAcceptsNoWritesIsFound() throws {
        try Self.withDatabase { cluster, name, url in
            let setting = "options=-c%20default_transaction_read_only%3Don"
            var found = try DoctorTests.doctor("--store", "\(url)&\(setting)")
            #expect(found.exitCode == 1)
            #expect(found.has("problem", "database", "its transactions are read-only"), "\(found)")
            found = try DoctorTests.doctor("--store", "postgres://u:secret@/x?host=/nonexistent")
            #expect(found.exitCode == 1)
            #expect(found.has("problem", "database", "can't be reached"), "\(found)")
            #expect(!found.text.contains("secret"))
        }
    }
}
