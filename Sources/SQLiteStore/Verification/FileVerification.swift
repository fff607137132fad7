import ReorderStore

/// Verifies a store's file, except the meaning of changes and snapshots.
///
/// It continues after a fault if possible. It needs memory for one row at a time and for the two
/// snapshots of one list.
struct FileVerification {
    let sql: Statements
    let report: (_ place: String, _ reason: String) -> Void

    /// - Parameter path: the file's path, reported as the place of faults in the file as a whole.
    func run(path: String) {
        attempt(path) { try integrity(path) }
        attempt(path) { try checkOrphans() }
        attempt(path) {
            let rows: Int = try sql.value("SELECT count(*) FROM origin") ?? 0
            if rows != 1 { report(path, "its table origin has \(rows) rows instead of 1") }
        }
        attempt(path) { try responses() }
        attempt(path) { try checkPieces(path) }
        attempt(path) {
            let kept = try ListVerification(sql: sql, report: report).run(attempt)
            let rows: Int = try sql.value("SELECT count(*) FROM journal") ?? 0
            if rows != kept {
                report(path, "the journal has \(rows) changes, but the lists have \(kept)")
            }
        }
    }

    /// Reports errors of SQLite as faults.
    private func attempt(_ place: String, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            let error = storeError(error, at: place)
            guard case .corrupt(let place, let reason) = error else {
                return report(place, error.reason)
            }
            report(place, reason)
        }
    }

    // MARK: The file

    private func integrity(_ path: String) throws {
        for (pragma, expected) in [
            ("PRAGMA application_id", SQLiteSchema.applicationID),
            ("PRAGMA user_version", SQLiteSchema.migrations.count),
        ] as [(StaticString, Int)] {
            let value: Int = try sql.value(pragma) ?? 0
            if value != expected { report(path, "\(pragma) is \(value) instead of \(expected)") }
        }
        try texts("PRAGMA integrity_check") { finding in
            if finding != "ok" { report(path, finding) }
        }
    }

    private func texts(_ query: StaticString, _ body: (String) -> Void) throws {
        try sql.forEach(query) {
            body($0[0])
            return true
        }
    }

    private func responses() throws {
        try sql.forEach("SELECT owner, key, expires, at, body, checksum FROM answer") { row in
            let place = "response to request \(row[1] as String) of \(row[0] as String)"
            let expires: Int = row[2]
            if checksum(of: row[4], version: expires) != row[5] {
                report(place, "its checksum does not match")
            }
            if expires <= row[3] {
                report(place, "it expires at or before the time of its request")
            }
            return true
        }
    }

    /// Finds pieces without a body, and bodies without pieces. There are no leftovers of large
    /// appends, because they were removed before.
    private func checkPieces(_ path: String) throws {
        for (query, reason) in [
            (
                """
                SELECT (SELECT count(*) FROM piece)
                    - (SELECT coalesce(sum(last - first + 1), 0) FROM long_body)
                """, "the number of its pieces differs from the number that its bodies refer to"
            ),
            (
                """
                SELECT count(*) FROM long_body
                LEFT JOIN snapshot USING (list, version) LEFT JOIN list ON list.key = long_body.list
                WHERE (kind = 1 AND snapshot.list IS NULL)
                    OR (kind = 0 AND version <= coalesce(list.forgotten, version))
                """, "it has pieces of a body that does not exist"
            ),
            (
                """
                SELECT (SELECT count(*) FROM staged_task) + (SELECT count(*) FROM staging)
                    + (SELECT count(*) FROM long_body WHERE list = 0)
                """, "it has leftovers of a large change"
            ),
        ] as [(StaticString, String)] where try sql.value(query) != 0 {
            report(path, reason)
        }
    }

    /// Finds rows that belong to no list.
    private func checkOrphans() throws {
        for (query, reason) in [
            (
                "SELECT 'list ' || id FROM list WHERE key NOT IN (SELECT list FROM head)",
                "it has no last version"
            ),
            (
                "SELECT 'list number ' || list FROM head WHERE list NOT IN (SELECT key FROM list)",
                "it has a last version, but the list does not exist"
            ),
            (
                """
                SELECT 'change ' || journal.change FROM journal
                LEFT JOIN list ON list.key = journal.list LEFT JOIN head ON head.list = list.key
                WHERE head.list IS NULL
                    OR journal.version NOT BETWEEN list.forgotten + 1 AND head.version
                """, "it is not in any list's history"
            ),
            (
                """
                SELECT 'landmark of list number ' || landmark.list || ', version '
                    || landmark.version
                FROM landmark
                LEFT JOIN journal ON journal.change = landmark.change
                WHERE journal.list IS NOT landmark.list
                    OR journal.version IS NOT landmark.version
                    OR landmark.version % 64 <> 0  -- landmarkInterval
                """, "it refers to the wrong change, or to a missing one"
            ),
            (
                """
                SELECT 'snapshot of list number ' || list || ', version ' || version FROM snapshot
                WHERE list NOT IN (SELECT key FROM list
                    WHERE title IS NOT NULL OR bin_title IS NOT NULL)
                """, "the list does not exist"
            ),
            (
                """
                SELECT 'list ' || id FROM list
                WHERE bin_title IS NOT NULL AND title IS NOT NULL
                """, "it is in the bin, but it is not a deleted list"
            ),
            (
                """
                SELECT 'task ' || id FROM task
                WHERE list NOT IN (SELECT key FROM list WHERE title IS NOT NULL)
                """, "its list does not exist"
            ),
            (
                """
                SELECT 'list ' || id FROM list WHERE title IS NOT NULL
                    AND count <> (SELECT count(*) FROM task WHERE task.list = list.key)
                """, "its number of tasks differs from the index of tasks"
            ),
        ] as [(StaticString, String)] {
            try texts(query) { report($0, reason) }
        }
    }
}
