import Foundation
import PostgresTesting
import ReorderStore
import Waiting

@testable import PostgresStore

/// Runs `body` with the URL of a new database with tables, and its name.
func withDatabase(
    in cluster: PostgresCluster? = nil, _ body: (_ url: String, _ name: String) throws -> Void
) throws {
    let name = "test-\(UUID().uuidString)"
    let cluster = try cluster ?? PostgresCluster.shared()
    let url = try cluster.migratedURL(ofDatabase: name)
    defer { try? cluster.remove(database: name) }
    try body(url, name)
}

extension PostgresCluster {
    /// The URL of a database with tables.
    func migratedURL(ofDatabase name: String) throws -> String {
        let url = try url(ofDatabase: name) + "&connect_timeout=\(Int(hangSeconds))"
        _ = try PostgresListStore.migrate(url: url, options: .patient)
        return url
    }
}

extension PostgresListStore.Options {
    /// Only a hang reaches the time limits.
    static let patient = PostgresListStore.Options(
        timeoutSeconds: hangSeconds, stallSeconds: nil)
}

/// Opens a store in which only a hang reaches the time limits.
func openStore(
    _ url: String, usesFallbacks: Bool = false
) throws(StoreError) -> PostgresListStore {
    var options = PostgresListStore.Options.patient
    options.usesFallbacks = usesFallbacks
    return try PostgresListStore(url: url, options: options)
}
