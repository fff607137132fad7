import Foundation
import PostgresStore
import PostgresTesting

/// Runs `body` with the URL of a new database with tables.
func withDatabase(_ body: (_ url: String, _ name: String) throws -> Void) throws {
    let name = "test-\(UUID().uuidString)"
    let cluster = try PostgresCluster.shared()
    let url = try cluster.url(ofDatabase: name)
    _ = try PostgresListStore.migrate(url: url)
    defer { try? cluster.remove(database: name) }
    try body(url, name)
}
