/// The tables.
///
/// Keys begin with the list, so that a distributed engine can keep each list's rows together. Only
/// the key of `task`, which makes task ids unique, begins with the task. Titles are bytes, as
/// changes are, because PostgreSQL's text type uses the encoding of the database, which may lack
/// characters. That type also can't hold U+0000. The API refuses U+0000 in titles, but a store must
/// accept any title.
enum PostgresSchema {
    /// The version that this program uses.
    static let version = migrations.count

    /// The statements that lead from each version to the next. Released versions are never edited.
    /// The first accepts existing tables, so a missing or deleted version number is restored.
    private static let migrations = [
        [
            "CREATE SCHEMA IF NOT EXISTS reorderd",
            "CREATE TABLE IF NOT EXISTS reorderd.schema_version (version bigint PRIMARY KEY)",
            """
            CREATE TABLE IF NOT EXISTS reorderd.list (
                id text COLLATE "C" PRIMARY KEY,
                version bigint NOT NULL,
                -- Null: the list is deleted; its versions continue.
                title bytea,
                count bigint NOT NULL,
                -- The versions of the newest snapshot and the one before it, or 0.
                snapshot bigint NOT NULL,
                earlier bigint NOT NULL,
                snapshot_bytes bigint NOT NULL,
                -- The last version whose change was pruned, and the time of the next change.
                forgotten bigint NOT NULL,
                oldest bigint NOT NULL
            ) WITH (fillfactor = 70)
            """,
            """
            CREATE TABLE IF NOT EXISTS reorderd.change (
                list text COLLATE "C" NOT NULL,
                version bigint NOT NULL,
                at bigint NOT NULL,
                -- A random number of the transaction; its low bits are the change's index.
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
            // The epoch is in an existing table, because roles already have privileges for it. The
            // highest version that has an epoch counts. No version has one before the first server
            // starts.
            """
            ALTER TABLE reorderd.schema_version ADD COLUMN IF NOT EXISTS epoch text COLLATE "C"
            """
        ],
        [
            // The position of the last change is in an existing table, because roles already have
            // privileges for it. Its row has version 0, which is no version of the tables. Changes
            // that were stored before have position 0.
            """
            ALTER TABLE reorderd.change ADD COLUMN IF NOT EXISTS position bigint NOT NULL DEFAULT 0
            """,
            """
            CREATE UNIQUE INDEX IF NOT EXISTS change_by_position ON reorderd.change (position)
            WHERE position > 0
            """,
            "ALTER TABLE reorderd.schema_version ADD COLUMN IF NOT EXISTS position bigint",
            """
            INSERT INTO reorderd.schema_version (version, position)
            SELECT 0, coalesce(max(position), 0) FROM reorderd.change WHERE position > 0
            ON CONFLICT (version) DO NOTHING
            """,
        ],
        [
            // A deleted list with a title here is in the bin, and still has its snapshots. Also in an
            // existing table because of privileges.
            "ALTER TABLE reorderd.list ADD COLUMN IF NOT EXISTS bin_title bytea",
            """
            ALTER TABLE reorderd.list ADD COLUMN IF NOT EXISTS bin_count bigint NOT NULL DEFAULT 0
            """,
            """
            ALTER TABLE reorderd.list ADD COLUMN IF NOT EXISTS deleted_at bigint NOT NULL DEFAULT 0
            """,
            """
            CREATE INDEX IF NOT EXISTS list_in_bin ON reorderd.list (id)
            WHERE bin_title IS NOT NULL
            """,
            """
            CREATE INDEX IF NOT EXISTS list_in_bin_by_time ON reorderd.list (deleted_at)
            WHERE bin_title IS NOT NULL
            """,
        ],
        [
            // The top-level tasks that are not done. Null: unknown, until the list's next change.
            "ALTER TABLE reorderd.list ADD COLUMN IF NOT EXISTS open bigint"
        ],
        // Changes and documents can have authors, which earlier programs refuse.
        [],
        [
            """
            CREATE TABLE IF NOT EXISTS reorderd.token (
                id text COLLATE "C" PRIMARY KEY,
                body bytea NOT NULL
            )
            """
        ],
        [
            // The list of a link to a list, which exists.
            "ALTER TABLE reorderd.token ADD COLUMN IF NOT EXISTS list text COLLATE \"C\"",
            "UPDATE reorderd.token SET list = convert_from(body, 'UTF8')::jsonb ->> 'link'",
            """
            DELETE FROM reorderd.token WHERE list IS NOT NULL
                AND list NOT IN (SELECT id FROM reorderd.list WHERE title IS NOT NULL)
            """,
        ],
        [
            // The last version of a former list with this id, or 0. Of a list that exists, nobody knows
            // whether it was restored or has the id of another one.
            "ALTER TABLE reorderd.list ADD COLUMN IF NOT EXISTS hidden bigint NOT NULL DEFAULT 0",
            """
            UPDATE reorderd.list SET hidden = version - 1
            WHERE title IS NULL AND bin_title IS NULL
            """,
            """
            CREATE INDEX IF NOT EXISTS token_by_list ON reorderd.token (list)
            WHERE list IS NOT NULL
            """,
        ],
    ]

    static let findVersion = Statement(
        "schema-version", "SELECT max(version) FROM reorderd.schema_version")

    /// Verifies that a newer program has not upgraded the tables while this one runs.
    ///
    /// - Parameter version: the version of the tables.
    static func check(version: Int) throws(PostgresError) {
        guard version <= self.version else {
            throw .refused(
                state: "55000",
                message: "a newer reorderd has upgraded the tables to version \(version), and this "
                    + "server supports version \(self.version): replace this server by the newer one"
            )
        }
    }

    /// The version of the existing tables, or 0.
    static func currentVersion(_ connection: PostgresConnection) throws(PostgresError) -> Int {
        do throws(PostgresError) {
            return try connection.run([findVersion()])[0].int(0, 0)
        } catch .refused(state: "42P01", _), .refused(state: "3F000", _) {
            // The table or its schema does not exist.
            return 0
        }
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

    /// Upgrades the tables to this program's version in one transaction. It may run concurrently:
    /// one call does the work, the others find it done.
    ///
    /// - Returns: the version before.
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
                    "insert-schema-version",
                    "INSERT INTO reorderd.schema_version (version) VALUES ($1)")
                // Waits for the appends that have begun. Later appends wait for the migration, and
                // then find the new version. Appends lock the tables in the same order.
                let lock = Statement(
                    "lock-schema-version",
                    "LOCK TABLE reorderd.schema_version IN ACCESS EXCLUSIVE MODE")()
                try connection.run(
                    [Statement.begin()] + (before > 0 ? [lock] : []) + statements + [
                        note(.int(version)), Statement.commit(),
                    ])
                return before
            } catch {
                // Concurrent migrations can fail with several kinds of errors.
                tries += 1
                guard case .refused = error, tries < 10 else { throw error }
            }
        }
    }
}
