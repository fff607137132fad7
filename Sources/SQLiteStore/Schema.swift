import GRDB
import ReorderStore

/// The tables of a store's file, and the file's version.
///
/// A change costs one row at the end of `journal` and one small overwrite in `head`:
///
/// - `journal` is ordered by its rowid alone, so that rows of all lists go to the same page. An
///   index on (list, version) would touch a page of its own for each list of a commit.
/// - Instead a row knows the row of its list's change before (`previous`), `head` knows the last
///   one, and `landmark` every 64th: the changes of one list are a chain that can be entered in the
///   middle. All lookups cost what they return, and up to 64 steps.
/// - `head` holds what changes with each change apart from what does not (`list`): a page has room
///   for 300 heads, so that 64 lists of one commit share few pages.
///
/// A list's row, key and head stay when it is deleted, for its versions count on. `oldest` is there
/// so that looking for what may be forgotten reads no change that has to stay.
/// A list's last change is never removed from `journal`, so no rowid is given twice.
///
/// `origin` says which past the versions belong to: see `ListStore.epoch`.
///
/// `answer` has what clients were told whose requests may come once more. It names lists and tasks by
/// their ids: its rows outlive them.
enum Schema {
    /// "ReoL" in ASCII: tells our files from those of other applications.
    static let applicationID = 0x5265_6F4C

    /// The first statement makes version 1, each further one leads to the next version.
    static let migrations = [
        """
        CREATE TABLE list (
            key INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            title TEXT,                 -- NULL: the list is deleted
            count INTEGER NOT NULL,     -- tasks
            forgotten INTEGER NOT NULL, -- the last version whose change is no longer kept, or 0
            oldest INTEGER NOT NULL     -- when the change after that was decided
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
            scope INTEGER NOT NULL,     -- of which of them: AnswerKey.Scope
            key TEXT NOT NULL,
            at INTEGER NOT NULL,        -- milliseconds since 1970, as the next one
            expires INTEGER NOT NULL,
            checksum INTEGER NOT NULL,  -- of body and expires
            body BLOB NOT NULL,
            UNIQUE (owner, scope, key)
        ) STRICT;
        CREATE INDEX answer_by_expiry ON answer (expires);
        """,
        """
        CREATE TABLE origin (           -- one row
            epoch TEXT,                 -- NULL: the store was never restored from a backup
            is_backup INTEGER NOT NULL  -- 1: a backup that was not served yet
        ) STRICT;
        INSERT INTO origin (epoch, is_backup) VALUES (NULL, 0);
        """,
    ]

    /// A `landmark` for each version that this divides.
    static let landmarkInterval = 64

    /// - Throws: `refused` if the file is of a newer version than this program knows.
    static func check(version: Int, path: String) throws {
        guard version <= migrations.count else {
            throw StoreError.refused(
                reason: "\(path) has version \(version) of the file format; "
                    + "this program reads versions up to \(migrations.count)")
        }
    }

    /// Makes a new file's tables or leads an older file's to this version.
    ///
    /// - Throws: `refused` where the file is another application's or of a newer version; it is
    ///   left as it is.
    static func prepare(_ database: Database, path: String) throws {
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0
        guard application == applicationID || (application == 0 && version == 0 && isEmpty) else {
            throw StoreError.refused(reason: "\(path) belongs to another application")
        }
        try check(version: version, path: path)
        // Two statements: the first reports the new mode before it has written it to the file.
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        guard try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal" else {
            throw StoreError.refused(reason: "\(path) can't have a write-ahead log where it is")
        }
        guard version < migrations.count else { return }
        try database.inTransaction(.immediate) {
            for migration in migrations[version...] {
                try database.execute(sql: migration)
            }
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(migrations.count)")
            return .commit
        }
        // Into the file, so that without its log it is never taken for a new one.
        _ = try database.checkpoint(.truncate)
    }
}
