import Foundation
import PostgresTesting
import ProcessTesting
import Testing

/// `reorderd doctor` with a store in PostgreSQL.
@Suite(.enabled(if: PostgresCluster.isTested)) struct DoctorDatabaseTests {
    @Test func tablesAndRightsAreChecked() throws {
        let name = "test-\(UUID().uuidString)"
        let cluster = try PostgresCluster.shared()
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        var found = try DoctorTests.doctor(["--store", url])
        #expect(found.exitCode == 1)
        #expect(found.has("problem", "database", "run \"reorderd migrate\" first"), "\(found)")
        #expect(try ServerProcess.run(["migrate", "--store", url]).exitCode == 0)
        found = try DoctorTests.doctor(["--store", url])
        #expect(found.exitCode == 0 && found.has("ok", "database", "it accepts writes"), "\(found)")

        let readOnly = "options=-c%20default_transaction_read_only%3Don"
        found = try DoctorTests.doctor(["--store", "\(url)&\(readOnly)"])
        #expect(found.exitCode == 1)
        #expect(found.has("problem", "database", "session is read-only"), "\(found)")

        let role = "doctor_\(UUID().uuidString.prefix(8).lowercased())"
        _ = try cluster.psql("CREATE ROLE \(role) LOGIN", in: name)
        defer { _ = try? cluster.psql("DROP OWNED BY \(role); DROP ROLE \(role)", in: name) }
        let other = url.replacing("reorderd@", with: "\(role)@")
        found = try DoctorTests.doctor(["--store", other])
        #expect(found.has("problem", "database", "permission denied for schema"), "\(found)")
        _ = try cluster.psql(
            """
            GRANT USAGE ON SCHEMA reorderd TO \(role);
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA reorderd TO \(role);
            REVOKE INSERT ON reorderd.list FROM \(role)
            """, in: name)
        found = try DoctorTests.doctor(["--store", other])
        #expect(found.exitCode == 1)
        #expect(found.has("problem", "database", "lacks rights: list (INSERT)."), "\(found)")
    }

    @Test func aDatabaseThatCannotBeReachedIsFound() throws {
        let found = try DoctorTests.doctor(["--store", "postgres://u:secret@/x?host=/nonexistent"])
        #expect(found.exitCode == 1)
        #expect(found.has("problem", "database", "PostgreSQL can't be reached"), "\(found)")
        #expect(!found.text.contains("secret"))
    }
}
