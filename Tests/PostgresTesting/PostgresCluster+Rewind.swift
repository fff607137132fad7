extension PostgresCluster {
    private static let tables = [
        "schema_version", "list", "change", "snapshot", "task", "answer", "token",
    ]

    /// Copies the tables of a database, for `rewind`. Later changes do not affect the copy.
    package func save(database name: String) throws {
        let copies = Self.tables.map {
            "CREATE TABLE reorderd.saved_\($0) AS TABLE reorderd.\($0);"
        }
        _ = try psql("BEGIN; \(copies.joined()) COMMIT", in: name)
    }

    /// Gives the tables the content of the copy, below the connections that are open.
    package func rewind(database name: String) throws {
        let copies = Self.tables.map {
            "DELETE FROM reorderd.\($0); INSERT INTO reorderd.\($0) TABLE reorderd.saved_\($0);"
        }
        _ = try psql(
            "BEGIN; LOCK TABLE reorderd.schema_version; \(copies.joined()) COMMIT", in: name)
    }

    /// The epoch of a database's store.
    package func epoch(ofDatabase name: String) throws -> String {
        try psql(
            """
            SELECT epoch FROM reorderd.schema_version WHERE epoch IS NOT NULL
            ORDER BY version DESC LIMIT 1
            """, in: name)
    }
}
