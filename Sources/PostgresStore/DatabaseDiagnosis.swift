import ReorderStore

/// What a database says about itself, read without a change in it.
package struct DatabaseDiagnosis {
    /// Such as 150004 for 15.4.
    package var serverVersion = 0
    /// Whether the database, with all hosts of the URL, accepts no writes.
    package var isStandby = false
    /// Whether it accepts no writes although it is a primary.
    package var isReadOnly = false
    /// The version of the tables; 0 if they do not exist.
    package var schemaVersion = 0
    /// The database's time, in milliseconds since 1970.
    package var time: Int64 = 0
    package var latestTime: Int64?
    /// The rights that the role lacks: `list (INSERT)`.
    package var missingRights = ""
    /// The tokens that were made over HTTP, at most 1,000.
    package var tokens: [[UInt8]] = []

    /// The first version of PostgreSQL that is supported.
    package static let oldestServerVersion = 150_000

    /// Connects as a server does; if no host accepts writes, to any of them.
    ///
    /// - Throws: `refused` if a repetition would not help.
    package init(url: String, options: PostgresListStore.Options) throws(StoreError) {
        let server = try PostgresListStore.server(url, options, { _ in })
        defer { server.close() }
        do throws(PostgresError) {
            try read(try server.connect())
        } catch {
            guard case .disconnected = error else { throw error.openingError }
            let other = try PostgresListStore.server(url, options, acceptsStandby: true, { _ in })
            defer { other.close() }
            do throws(PostgresError) {
                try read(try other.connect())
            } catch {
                throw error.openingError
            }
        }
    }

    private mutating func read(_ connection: PostgresConnection) throws(PostgresError) {
        // Reads that wait for a standby write a message.
        connection.canConfirm = false
        let state = try connection.run([Self.findState()])[0]
        serverVersion = state.int(0, 0)
        isStandby = state.bool(0, 1)
        isReadOnly = state.bool(0, 2)
        time = try PostgresSchema.currentTime(connection)
        schemaVersion = try PostgresSchema.currentVersion(connection)
        guard schemaVersion == PostgresSchema.version else { return }
        missingRights = try connection.run([Self.findMissingRights()])[0].text(0, 0)
        guard missingRights.isEmpty else { return }
        let latest = try connection.run([Self.findLatestTime()])[0]
        latestTime = latest.count > 0 ? Int64(latest.int(0, 0)) : nil
        tokens = try PostgresTokens.find(.page(after: nil, limit: 1_000), over: connection)
            .map(\.bytes)
    }

    private static let findState = Statement(
        "find-state",
        """
        SELECT current_setting('server_version_num')::bigint, pg_is_in_recovery(),
            current_setting('transaction_read_only') = 'on'
        """)

    private static let findMissingRights = Statement(
        "find-missing-rights",
        """
        SELECT coalesce(string_agg(relname || ' (' || need || ')', ', ' ORDER BY relname, need), '')
        FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS need
        WHERE relnamespace = 'reorderd'::regnamespace AND relkind IN ('r', 'p')
            AND NOT has_table_privilege(pg_class.oid, need)
        """)

    private static let findLatestTime = Statement(
        "find-latest-time",
        """
        SELECT at FROM reorderd.change WHERE position > 0 ORDER BY position DESC LIMIT 1
        """)
}
