/// The tables.
///
/// Keys begin with the list, so that all that belongs to one can be kept in one place; only `task`,
/// which makes ids unique in the server, begins with the task's. Titles are bytes, as changes are:
/// PostgreSQL's texts are in the encoding of the database, which need not have all characters, and hold no
/// U+0000, which is refused before it comes here, and not by the store.
enum Schema {
    /// The version that this program works with.
    static let version = migrations.count

    /// What leads from each version to the next; a version that was released is never edited. The first
    /// takes what is there: so tables whose version was not noted, or was removed, are noted again.
    private static let migrations = [
        [
            "CREATE SCHEMA IF NOT EXISTS reorderd",
            "CREATE TABLE IF NOT EXISTS reorderd.schema_version (version bigint PRIMARY KEY)",
            """
            CREATE TABLE IF NOT EXISTS reorderd.list (
                id text COLLATE "C" PRIMARY KEY,
                version bigint NOT NULL,
                -- Null: the list is deleted; its version counts on.
                title bytea,
                count bigint NOT NULL,
                -- The versions of the newest snapshot and the one before it; 0: there is none.
                snapshot bigint NOT NULL,
                earlier bigint NOT NULL,
                snapshot_bytes bigint NOT NULL,
                -- The last version whose change is no longer kept, and when the next was decided.
                forgotten bigint NOT NULL,
                oldest bigint NOT NULL
            ) WITH (fillfactor = 70)
            """,
            """
            CREATE TABLE IF NOT EXISTS reorderd.change (
                list text COLLATE "C" NOT NULL,
                version bigint NOT NULL,
                at bigint NOT NULL,
                -- A random number of the transaction's, and in its low bits the change's place in it.
                commit_id bigint NOT NULL,
                body bytea NOT NULL,
                PRIMARY KEY (list, version)
            )
            """,
            """
            CREATE TABLE IF NOT EXISTS reorderd.snapshot (
                list text COLLATE "C" NOT NULL,
                version bigint NOT NULL,
                body bytea NOT NULL,
                PRIMARY KEY (list, version)
            )
            """,
            """
            CREATE TABLE IF NOT EXISTS reorderd.task (
                id text COLLATE "C" PRIMARY KEY,
                list text COLLATE "C" NOT NULL
            )
            """,
            "CREATE INDEX IF NOT EXISTS task_by_list ON reorderd.task (list)",
            """
            CREATE TABLE IF NOT EXISTS reorderd.answer (
                owner text COLLATE "C" NOT NULL,
                scope bigint NOT NULL,
                key text COLLATE "C" NOT NULL,
                at bigint NOT NULL,
                expires bigint NOT NULL,
                body bytea NOT NULL,
                PRIMARY KEY (owner, scope, key)
            )
            """,
            "CREATE INDEX IF NOT EXISTS answer_by_expiry ON reorderd.answer (expires)",
        ],
        [
            // In the table that there is, so that the rights that roles have of it are enough. The
            // highest version's that is not null counts; null: the store was never restored.
            """
            ALTER TABLE reorderd.schema_version ADD COLUMN IF NOT EXISTS epoch text COLLATE "C"
            """
        ],
    ]

    /// The version of what is there; 0: nothing is.
    static func currentVersion(_ connection: PostgresConnection) throws(PostgresError) -> Int {
        do throws(PostgresError) {
            let rows = try connection.run([
                Statement(
                    "schema-version", "SELECT max(version) FROM reorderd.schema_version")()
            ])
            return rows[0].int(0, 0)
        } catch .refused(state: "42P01", _), .refused(state: "3F000", _) {
            // There is no such table, or no such schema.
            return 0
        }
    }

    /// Which past the versions belong to: see `ListStore.epoch`.
    static func epoch(_ connection: PostgresConnection) throws(PostgresError) -> String? {
        let rows = try connection.run([
            Statement(
                "epoch",
                """
                SELECT epoch FROM reorderd.schema_version
                WHERE epoch IS NOT NULL ORDER BY version DESC LIMIT 1
                """)()
        ])[0]
        return rows.count > 0 ? rows.text(0, 0) : nil
    }

    /// The database's time, in milliseconds since 1970.
    static func currentTime(_ connection: PostgresConnection) throws(PostgresError) -> Int64 {
        let rows = try connection.run([
            Statement(
                "current-time",
                "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")()
        ])[0]
        return Int64(rows.int(0, 0))
    }

    static func setEpoch(
        _ name: String, _ connection: PostgresConnection
    ) throws(PostgresError) {
        try connection.run([
            Statement(
                "set-epoch",
                """
                UPDATE reorderd.schema_version SET epoch = $1
                WHERE version = (SELECT max(version) FROM reorderd.schema_version)
                """)(.text(name))
        ])
    }

    /// Brings the tables to this program's version, in one transaction. Several may do so at once: one
    /// does, the others find it done.
    ///
    /// - Returns: the version that was there.
    static func migrate(_ connection: PostgresConnection) throws(PostgresError) -> Int {
        var tries = 0
        while true {
            let before = try currentVersion(connection)
            guard before < version else { return before }
            do throws(PostgresError) {
                let statements = migrations[before...].joined().enumerated().map { index, sql in
                    Statement("migrate-\(before)-\(index)", sql)()
                }
                let note = Statement(
                    "migrated", "INSERT INTO reorderd.schema_version (version) VALUES ($1)")
                try connection.run(
                    [Statement.begin()] + statements + [note(.int(version)), Statement.commit()])
                return before
            } catch {
                // Whoever makes the same at the same time meets one of several errors.
                tries += 1
                guard case .refused = error, tries < 10 else { throw error }
            }
        }
    }
}
