import GRDB
import ReorderStore

/// The tables of a store's file, and the version of the format.
///
/// A change costs one row at the end of `journal` and one small overwrite in `head`:
///
/// - `journal` is ordered by its rowid only, so the rows of all lists go to the same page. An index
///   on (list, version) would write a separate page for each list of a commit.
/// - Instead, a row refers to its list's previous change (`previous`), `head` refers to the last
///   change, and `landmark` to every 64th. So the changes of a list are a chain that can be entered
///   in the middle. A lookup reads the changes that it returns, and at most 64 others.
/// - `head` separates the columns that change with each change from those that do not (`list`): a
///   page has room for 300 heads, so the 64 lists of one commit share few pages.
///
/// A list's row, key and head remain when it is deleted, because its versions continue. `oldest`
/// makes it possible to find prunable changes without reading those that are retained. A list's
/// last change is never removed from `journal`, so no rowid is reused.
///
/// `origin` has the store's epoch (see `ListStore.epoch`), how the file is used, and the random name of
/// its opening (see `DurabilityMark`).
///
/// `answer` has the stored responses. It refers to lists and tasks by id, because a response can
/// outlive its list or task.
///
/// A deleted list whose snapshots are kept is in the bin until its next change: it has a `bin_title`.
///
/// `token` has the tokens that were made over HTTP; `token.list` is the list of a link to a list, which
/// exists.
///
/// A large append writes most of its content in small transactions. Its last transaction makes the
/// content valid (see `LargeAppend`):
///
/// - A body that is too long for one transaction is in `piece`. Its own column is then empty, and
///   `long_body` says which pieces it has. Deleted bodies, and those of an append that is not valid
///   yet, are bodies of list 0, whose pieces are removed step by step.
/// - `staged_task` has changes of `task`. They are valid if their slot is in `staging`. Then they
///   replace the rows of `task`, and are moved into `task` in small transactions. Otherwise they
///   belong to an append that is not valid yet, or never became valid.
enum SQLiteSchema {
    /// "ReoL" in ASCII: distinguishes reorderd's files from those of other applications.
    static let applicationID = 0x5265_6F4C

    /// The first statement creates version 1, each further one leads to the next version.
    static let migrations = [
        """
        CREATE TABLE list (
            key INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            title TEXT,                 -- NULL: the list is deleted
            count INTEGER NOT NULL,     -- tasks
            forgotten INTEGER NOT NULL, -- the last version whose change was pruned, or 0
            oldest INTEGER NOT NULL     -- the time of the change after that
        ) STRICT;
        CREATE TABLE head (
            list INTEGER PRIMARY KEY,
            version INTEGER NOT NULL,
            change INTEGER NOT NULL     -- that version's row in journal
        ) STRICT;
        CREATE TABLE journal (
            change INTEGER PRIMARY KEY,
            list INTEGER NOT NULL,
            version INTEGER NOT NULL,
            previous INTEGER NOT NULL,  -- the row of the version before, or 0
            at INTEGER NOT NULL,        -- milliseconds since 1970
            checksum INTEGER NOT NULL,  -- of body and version
            body BLOB NOT NULL
        ) STRICT;
        CREATE TABLE landmark (
            list INTEGER NOT NULL,
            version INTEGER NOT NULL,
            change INTEGER NOT NULL,
            PRIMARY KEY (list, version)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE snapshot (
            list INTEGER NOT NULL,
            version INTEGER NOT NULL,
            checksum INTEGER NOT NULL,  -- of body and version
            body BLOB NOT NULL,
            PRIMARY KEY (list, version)
        ) STRICT;
        CREATE TABLE task (
            id TEXT PRIMARY KEY,
            list INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX task_by_list ON task (list);
        """,
        """
        CREATE TABLE answer (
            answer INTEGER PRIMARY KEY,
            owner TEXT NOT NULL,        -- the id of a list or a task
            scope INTEGER NOT NULL,     -- the kind of owner: StoredResponseKey.Scope
            key TEXT NOT NULL,
            at INTEGER NOT NULL,        -- milliseconds since 1970, like expires
            expires INTEGER NOT NULL,
            checksum INTEGER NOT NULL,  -- of body and expires
            body BLOB NOT NULL,
            UNIQUE (owner, scope, key)
        ) STRICT;
        CREATE INDEX answer_by_expiry ON answer (expires);
        """,
        """
        CREATE TABLE origin (           -- one row
            epoch TEXT,                 -- NULL: no epoch has begun yet
            is_backup INTEGER NOT NULL  -- FileUse
        ) STRICT;
        INSERT INTO origin (epoch, is_backup) VALUES (NULL, 0);
        """,
        """
        CREATE TABLE piece (
            piece INTEGER PRIMARY KEY,
            body BLOB NOT NULL
        ) STRICT;
        CREATE TABLE long_body (
            list INTEGER NOT NULL,
            kind INTEGER NOT NULL,      -- LongBody.Kind
            version INTEGER NOT NULL,
            first INTEGER NOT NULL,     -- its pieces
            last INTEGER NOT NULL,
            PRIMARY KEY (list, kind, version)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE discarded (
            first INTEGER PRIMARY KEY,  -- pieces
            last INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE staged_task (
            id TEXT PRIMARY KEY,
            slot INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE staging (
            slot INTEGER PRIMARY KEY,
            list INTEGER NOT NULL       -- 0: the tasks are in no list
        ) STRICT;
        """,
        """
        CREATE TABLE bin (
            id TEXT PRIMARY KEY,        -- of a deleted list
            title TEXT NOT NULL,
            count INTEGER NOT NULL,     -- tasks
            at INTEGER NOT NULL         -- the time of the deletion, milliseconds since 1970
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX bin_by_time ON bin (at);
        """,
        // The top-level tasks that are not done; NULL: unknown, until the list's next change.
        "ALTER TABLE list ADD COLUMN open INTEGER",
        """
        ALTER TABLE origin ADD COLUMN opening INTEGER NOT NULL DEFAULT 0;
        UPDATE origin SET opening = random();
        """,
        // Changes and documents can have authors, which earlier programs refuse.
        "",
        """
        CREATE TABLE token (
            id TEXT PRIMARY KEY,
            body BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """,
        """
        ALTER TABLE token ADD COLUMN list TEXT;
        UPDATE token SET list = json_extract(CAST(body AS TEXT), '$.link')
            WHERE json_valid(CAST(body AS TEXT));
        DELETE FROM token WHERE list NOT IN (SELECT id FROM list WHERE title IS NOT NULL);
        """,
        // The last version of a former list with this id, or 0. Of a list that exists, nobody knows whether
        // it was restored or has the id of another one.
        """
        ALTER TABLE list ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
        UPDATE list SET hidden = (SELECT version - 1 FROM head WHERE head.list = list.key)
            WHERE title IS NULL AND id NOT IN (SELECT id FROM bin);
        CREATE INDEX token_by_list ON token (list) WHERE list IS NOT NULL;
        -- The time by which something has expired, milliseconds since 1970; NULL: unknown.
        ALTER TABLE origin ADD COLUMN trusted INTEGER;
        """,
        """
        ALTER TABLE list ADD COLUMN bin_title TEXT; -- NULL: the list is not in the bin
        ALTER TABLE list ADD COLUMN bin_count INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE list ADD COLUMN deleted_at INTEGER NOT NULL DEFAULT 0;
        UPDATE list SET (bin_title, bin_count, deleted_at) =
                (SELECT title, count, at FROM bin WHERE bin.id = list.id)
            WHERE id IN (SELECT id FROM bin);
        DROP TABLE bin;
        CREATE INDEX list_in_bin ON list (id) WHERE bin_title IS NOT NULL;
        CREATE INDEX list_in_bin_by_time ON list (deleted_at) WHERE bin_title IS NOT NULL;
        -- Discarded bodies have list 0 and kind 0, and their first piece as the version.
        INSERT INTO long_body (list, kind, version, first, last)
            SELECT 0, 0, first, first, last FROM discarded;
        DROP TABLE discarded;
        """,
    ]

    /// The first version with `origin.opening`.
    static let openingVersion = 7

    /// The version of the format that this program writes.
    static var version: Int { migrations.count }

    /// Each version divisible by this number has a `landmark`.
    static let landmarkInterval = 64

    /// - Throws: `refused` if a newer program wrote the file.
    static func check(version: Int, path: String) throws {
        guard version <= migrations.count else {
            throw StoreError.refused(
                reason: "\(path) has version \(version) of the file format; "
                    + "this program reads versions up to \(migrations.count). Use the newer program that wrote it"
            )
        }
    }

    /// Creates a new file's tables, or upgrades an older file.
    ///
    /// - Parameter newEpoch: the name of the store's first epoch, if the file has none yet.
    /// - Returns: the version of the file's format before; 0 if the file was empty.
    /// - Throws: `refused` if the file belongs to another application or a newer program wrote it;
    ///   the file is not changed then.
    static func prepare(_ database: Database, path: String, newEpoch: String) throws -> Int {
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0
        guard application == applicationID || (application == 0 && version == 0 && isEmpty) else {
            throw StoreError.refused(reason: "\(path) belongs to another application")
        }
        try check(version: version, path: path)
        // Two statements: the first reports the new mode before it is written to the file.
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        guard try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal" else {
            throw StoreError.refused(
                reason: "\(path) is on a file system that does not support a write-ahead log")
        }
        // Version 3 brought the table, and stores began without an epoch.
        let hasEpoch = try version >= 3 && readEpoch(database) != nil
        guard version < migrations.count || !hasEpoch else { return version }
        try database.inTransaction(.immediate) {
            for migration in migrations[version...] {
                try database.execute(sql: migration)
            }
            try database.execute(
                sql: "UPDATE origin SET epoch = ? WHERE epoch IS NULL", arguments: [newEpoch])
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(migrations.count)")
            return .commit
        }
        // Copies the tables into the file, so that the file is not mistaken for an empty one if its
        // log is missing.
        _ = try database.checkpoint(.truncate)
        return version
    }

    /// The store's epoch; nil if the file has none yet.
    static func readEpoch(_ database: Database) throws -> String? {
        try String.fetchOne(database, sql: "SELECT epoch FROM origin")
    }
}
