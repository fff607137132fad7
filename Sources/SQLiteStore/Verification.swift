import GRDB
import ReorderStore

/// Looks at everything a store's file holds, apart from what the bytes of changes and snapshots say.
///
/// Goes on after a fault as far as that makes sense. Takes memory for one row at a time and the two
/// snapshots of one list.
struct Verification {
    let database: Database
    let report: (_ place: String, _ reason: String) -> Void

    /// - Parameter path: the file's, as the place of what is wrong with it as a whole.
    func run(path: String) {
        attempt(path) { try integrity(path) }
        attempt(path) { try strays() }
        attempt(path) {
            let rows = try integer("SELECT count(*) FROM origin")
            if rows != 1 { report(path, "its table origin has \(rows) rows, not 1") }
        }
        attempt(path) { try answers() }
        attempt(path) {
            let kept = try ListVerification(database: database, report: report).run(attempt)
            let rows = try integer("SELECT count(*) FROM journal")
            if rows != kept { report(path, "the journal has \(rows) changes, the lists \(kept)") }
        }
    }

    /// What SQLite can't read is a fault like others.
    private func attempt(_ place: String, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            switch storeError(error, at: place) {
            case .corrupt(let place, let reason): report(place, reason)
            case .unavailable(let reason), .failed(let reason), .lost(let reason),
                .unknown(let reason),
                .refused(let reason):
                report(place, reason)
            case .conflict, .taskTaken: report(place, "\(error)")
            }
        }
    }

    // MARK: The file

    private func integrity(_ path: String) throws {
        for (pragma, expected) in [
            ("application_id", Schema.applicationID), ("user_version", Schema.migrations.count),
        ] {
            let value = try integer("PRAGMA \(pragma)")
            if value != expected { report(path, "its \(pragma) is \(value), not \(expected)") }
        }
        try texts("PRAGMA integrity_check") { finding in
            if finding != "ok" { report(path, finding) }
        }
    }

    private func integer(_ query: String) throws -> Int {
        let statement = try PreparedStatement(database, query)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    private func texts(_ query: String, _ body: (String) -> Void) throws {
        let statement = try PreparedStatement(database, query)
        defer { statement.reset() }
        while try statement.step() { body(statement.text(0)) }
    }

    private func answers() throws {
        let statement = try PreparedStatement(
            database, "SELECT owner, key, expires, at, body, checksum FROM answer")
        defer { statement.reset() }
        while try statement.step() {
            let place = "answer to \(statement.text(1)) of \(statement.text(0))"
            let expires = statement.integer(2)
            if checksum(of: statement.bytes(4), version: expires) != statement.integer(5) {
                report(place, "it is not what was written")
            }
            if expires <= statement.integer(3) {
                report(place, "it expired before it was given")
            }
        }
    }

    /// Rows that no list accounts for.
    private func strays() throws {
        for (query, reason) in [
            (
                "SELECT 'list ' || id FROM list WHERE key NOT IN (SELECT list FROM head)",
                "it has no last version"
            ),
            (
                "SELECT 'list number ' || list FROM head WHERE list NOT IN (SELECT key FROM list)",
                "it has a last version but is no list"
            ),
            (
                """
                SELECT 'change ' || journal.change FROM journal
                LEFT JOIN list ON list.key = journal.list LEFT JOIN head ON head.list = list.key
                WHERE head.list IS NULL
                    OR journal.version NOT BETWEEN list.forgotten + 1 AND head.version
                """, "it belongs to no list's history"
            ),
            (
                """
                SELECT 'landmark of list number ' || landmark.list || ', version '
                    || landmark.version
                FROM landmark
                LEFT JOIN journal ON journal.change = landmark.change
                WHERE journal.list IS NOT landmark.list
                    OR journal.version IS NOT landmark.version
                    OR landmark.version % \(Schema.landmarkInterval) <> 0
                """, "it leads to another change, or to none"
            ),
            (
                """
                SELECT 'snapshot of list number ' || list || ', version ' || version FROM snapshot
                WHERE list NOT IN (SELECT key FROM list WHERE title IS NOT NULL)
                """, "there is no such list"
            ),
            (
                """
                SELECT 'task ' || id FROM task
                WHERE list NOT IN (SELECT key FROM list WHERE title IS NOT NULL)
                """, "the list that holds it is not there"
            ),
            (
                """
                SELECT 'list ' || id FROM list WHERE title IS NOT NULL
                    AND count <> (SELECT count(*) FROM task WHERE task.list = list.key)
                """, "it has another count of tasks than the index of tasks"
            ),
        ] {
            try texts(query) { report($0, reason) }
        }
    }
}
