import ReorderStore

/// Creates the statements that write an append plan: one for each table, for any number of lists.
enum PostgresJournalWriter {
    /// The statements, and for some of them the number of rows that they must change. If a
    /// statement changes fewer rows, another server has just written the same rows.
    static func calls(
        for admission: AppendPlan, commitID: Int, notifies: Bool
    ) -> (calls: [BoundStatement], expected: [Int: Int]) {
        var calls: [BoundStatement] = []
        var expected: [Int: Int] = [:]
        func add(_ call: BoundStatement, rows: Int) {
            expected[calls.count] = rows
            calls.append(call)
        }
        let lists = admission.lists
        // Existing rows are locked. But another server may insert the same new rows at the same
        // time.
        let new = lists.filter(\.isNew)
        if !new.isEmpty { add(write(new, insertLists, .ints(new.map(\.oldest))), rows: new.count) }
        let known = lists.filter { !$0.isNew }
        if !known.isEmpty { calls.append(write(known, updateLists)) }
        let deleted = admission.commits.filter { $0.stateAfter == .deleted }.map(\.list)
        if !deleted.isEmpty {
            calls.append(PostgresTokens.removeLinks(to: deleted, notifies: notifies))
        }
        let large = LargeCommit()
        let isLarge =
            admission.commits.contains { large.isExceeded(by: $0) }
            || large.ofAppend.isExceeded(by: admission.commits)
        if isLarge { calls.append(insert(admission.commits, commitID, hasPositions: false)) }
        calls += snapshotCalls(for: lists)
        let tasks = admission.tasks
        // Only inserts wait for other appends, so they precede the changes of locked rows. An append
        // that waited after a deletion could wait for one that waits to insert the deleted task.
        for part in LockedState.parts(tasks.inserted[...]) {
            add(
                insertTasks(.texts(part.map(\.id)), .texts(part.map(\.list))), rows: part.count)
        }
        for part in LockedState.parts(tasks.deleted[...]) {
            calls.append(deleteTasks(.texts(Array(part))))
        }
        for part in LockedState.parts(tasks.moved[...]) {
            calls.append(moveTasks(.texts(part.map(\.id)), .texts(part.map(\.list))))
        }
        if !admission.responses.isEmpty {
            add(
                StoredResponseTable.keep(Array(admission.responses.values)),
                rows: admission.responses.count)
        }
        // Last, because all other appends wait from here to the commit. So the order of positions is
        // the order of commits, and no position is missing. Large changes are inserted before.
        if !admission.commits.isEmpty {
            calls.append(advancePosition(.int(admission.commits.count)))
            calls.append(
                isLarge
                    ? setPositions(of: admission.commits)
                    : insert(admission.commits, commitID, hasPositions: true))
        }
        if notifies, !lists.isEmpty {
            let changed = lists.map { (id: $0.id, version: $0.row.version) }
            calls.append(notify(.texts(CommitNotification.payloads(changed))))
        }
        return (calls, expected)
    }

    private static func write(
        _ lists: [AppendPlan.List], _ statement: Statement, _ more: Parameter...
    ) -> BoundStatement {
        BoundStatement(
            statement: statement,
            parameters: [
                .texts(lists.map(\.id)), .ints(lists.map(\.row.version)),
                .byteArrays(lists.map(\.title)), .ints(lists.map(\.count)),
                .ints(lists.map(\.row.snapshot)), .ints(lists.map(\.row.earlier)),
                .ints(lists.map(\.row.snapshotBytes)),
                .byteArrays(lists.map { $0.binned.map { Array($0.title.utf8) } }),
                .ints(lists.map { $0.binned?.count ?? 0 }), .ints(lists.map(\.deletedAt)),
                .ints(lists.map(\.open)), .ints(lists.map(\.row.hidden)),
            ] + more)
    }

    private static let insertLists = Statement(
        "insert-lists",
        """
        INSERT INTO reorderd.list
            (id, version, title, count, snapshot, earlier, snapshot_bytes, bin_title, bin_count,
            deleted_at, open, hidden, forgotten, oldest)
        SELECT id, version, title, count, snapshot, earlier, snapshot_bytes, bin_title, bin_count,
            deleted_at, open, hidden, 0, oldest
        FROM unnest($1::text[], $2::bigint[], $3::bytea[], $4::bigint[], $5::bigint[],
            $6::bigint[], $7::bigint[], $8::bytea[], $9::bigint[], $10::bigint[], $11::bigint[],
            $12::bigint[], $13::bigint[]) AS new
            (id, version, title, count, snapshot, earlier, snapshot_bytes, bin_title, bin_count,
            deleted_at, open, hidden, oldest)
        ON CONFLICT (id) DO NOTHING
        """)

    private static let updateLists = Statement(
        "update-lists",
        """
        UPDATE reorderd.list SET version = new.version, title = new.title, count = new.count,
            snapshot = new.snapshot, earlier = new.earlier, snapshot_bytes = new.snapshot_bytes,
            bin_title = new.bin_title, bin_count = new.bin_count, deleted_at = new.deleted_at,
            open = new.open, hidden = new.hidden
        FROM unnest($1::text[], $2::bigint[], $3::bytea[], $4::bigint[], $5::bigint[],
            $6::bigint[], $7::bigint[], $8::bytea[], $9::bigint[], $10::bigint[], $11::bigint[],
            $12::bigint[]) AS new
            (id, version, title, count, snapshot, earlier, snapshot_bytes, bin_title, bin_count,
            deleted_at, open, hidden)
        WHERE list.id = new.id
        """)

    private static func insert(
        _ commits: [ListCommit], _ commitID: Int, hasPositions: Bool
    ) -> BoundStatement {
        insertChanges(
            .texts(commits.map(\.list)), .ints(commits.map(\.version)),
            .ints(commits.map { Int($0.at) }), .byteArrays(commits.map(\.change)),
            .ints(commits.indices.map { commitID + $0 }), offsets(commits),
            .int(hasPositions ? 1 : 0))
    }

    private static func setPositions(of commits: [ListCommit]) -> BoundStatement {
        updatePositions(
            .texts(commits.map(\.list)), .ints(commits.map(\.version)), offsets(commits))
    }

    /// The distances of the commits' positions to the last position.
    private static func offsets(_ commits: [ListCommit]) -> Parameter {
        .ints(commits.indices.map { $0 + 1 - commits.count })
    }

    private static let advancePosition = Statement(
        "advance-position",
        """
        UPDATE reorderd.schema_version SET position = position + $1 WHERE version = 0
        RETURNING position
        """)

    /// The position of the last commit, from the results of the calls.
    static func lastPosition(_ results: [ResultRows], of calls: [BoundStatement]) -> Int? {
        let index = calls.firstIndex { $0.statement.name == advancePosition.name }
        return index.flatMap { results[$0].count > 0 ? results[$0].int(0, 0) : nil }
    }

    private static let insertChanges = Statement(
        "insert-changes",
        """
        INSERT INTO reorderd.change (list, version, at, body, commit_id, position)
        SELECT list, version, at, body, commit_id, CASE $7::bigint WHEN 0 THEN 0 ELSE
            (SELECT position FROM reorderd.schema_version WHERE version = 0) + "offset" END
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bigint[])
            AS new (list, version, at, body, commit_id, "offset")
        """)

    /// Does not write the bodies again.
    private static let updatePositions = Statement(
        "update-positions",
        """
        UPDATE reorderd.change SET position =
            (SELECT position FROM reorderd.schema_version WHERE version = 0) + new."offset"
        FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS new (list, version, "offset")
        WHERE change.list = new.list AND change.version = new.version
        """)

    private static func snapshotCalls(for lists: [AppendPlan.List]) -> [BoundStatement] {
        var calls: [BoundStatement] = []
        let changed = lists.filter { $0.firstKept > 0 }
        if !changed.isEmpty {
            calls.append(
                deleteSnapshots(.texts(changed.map(\.id)), .ints(changed.map(\.firstKept))))
        }
        let new = changed.flatMap { list in list.snapshots.map { (list.id, $0) } }
        if !new.isEmpty {
            calls.append(
                insertSnapshots(
                    .texts(new.map(\.0)), .ints(new.map(\.1.version)),
                    .byteArrays(new.map(\.1.bytes))))
        }
        return calls
    }

    private static let deleteSnapshots = Statement(
        "delete-snapshots",
        """
        DELETE FROM reorderd.snapshot USING unnest($1::text[], $2::bigint[]) AS kept (list, version)
        WHERE snapshot.list = kept.list AND snapshot.version < kept.version
        """)

    private static let insertSnapshots = Statement(
        "insert-snapshots",
        """
        INSERT INTO reorderd.snapshot (list, version, body)
        SELECT list, version, body
        FROM unnest($1::text[], $2::bigint[], $3::bytea[]) AS new (list, version, body)
        """, copyTarget: "reorderd.snapshot (list, version, body)")

    private static let deleteTasks = Statement(
        "delete-tasks", "DELETE FROM reorderd.task WHERE id = ANY($1::text[])")

    private static let moveTasks = Statement(
        "move-tasks",
        """
        UPDATE reorderd.task SET list = new.list
        FROM unnest($1::text[], $2::text[]) AS new (id, list) WHERE task.id = new.id
        """)

    private static let insertTasks = Statement(
        "insert-tasks",
        """
        INSERT INTO reorderd.task (id, list)
        SELECT id, list FROM unnest($1::text[], $2::text[]) AS new (id, list)
        ON CONFLICT (id) DO NOTHING
        """)

    private static let notify = Statement(
        "notify",
        "SELECT pg_notify('\(CommitNotification.channel)', payload) FROM unnest($1::text[]) AS payload"
    )
}
