import ReorderStore

/// Reads lists. The result of each call is consistent: all of it was stored at one moment.
enum PostgresJournalReader {
    static func load(
        _ list: String, over connection: PostgresConnection
    ) throws(PostgresError) -> LoadedList? {
        let (head, content) = try content(of: list, with: findList(.text(list)), over: connection)
        guard head.count > 0 else { return nil }
        let version = head.int(0, 0)
        guard head.bool(0, 1) else { return LoadedList(version: version, content: nil) }
        guard let content else {
            throw .corrupt(place: "list \(list)", reason: "it has no snapshot")
        }
        guard content.snapshotVersion + content.changes.count == version else {
            throw .corrupt(
                place: "list \(list), version \(version)", reason: "its change is missing")
        }
        return LoadedList(version: version, content: content)
    }

    /// The newest snapshot of a list and all changes after it, with the result of another statement
    /// of the same moment.
    static func content(
        of list: String, with other: BoundStatement, over connection: PostgresConnection
    ) throws(PostgresError) -> (ResultRows, LoadedList.Content?) {
        let results = try connection.readOneMoment([
            other, findSnapshots(.text(list), .int(1)), findChangesAfterSnapshot(.text(list)),
        ])
        let (snapshots, changes) = (results[1], results[2])
        guard snapshots.count > 0 else { return (results[0], nil) }
        return (
            results[0],
            LoadedList.Content(
                snapshot: snapshots.bytes(0, 1), snapshotVersion: snapshots.int(0, 0),
                changes: try storedChanges(changes, of: list, after: snapshots.int(0, 0)))
        )
    }

    static func snapshots(
        of list: String, over connection: PostgresConnection
    ) throws(PostgresError) -> [StoredSnapshot] {
        let rows = try connection.read([findSnapshots(.text(list), .int(2))])[0]
        return rows.indices.reversed().map {
            StoredSnapshot(version: rows.int($0, 0), bytes: rows.bytes($0, 1))
        }
    }

    static func changes(
        of list: String, after version: Int, limit: Int, over connection: PostgresConnection
    ) throws(PostgresError) -> [StoredChange]? {
        let version = max(0, version)
        let results = try connection.readOneMoment([
            findForgotten(.text(list)), findChanges(.text(list), .int(version), .int(limit)),
        ])
        guard results[0].count > 0 else { return [] }
        guard version >= results[0].int(0, 0) else { return nil }
        return try storedChanges(results[1], of: list, after: version)
    }

    static func prunedVersion(
        of list: String, over connection: PostgresConnection
    ) throws(PostgresError) -> Int {
        let rows = try connection.read([findForgotten(.text(list))])[0]
        return rows.count > 0 ? rows.int(0, 0) : 0
    }

    private static func storedChanges(
        _ rows: ResultRows, of list: String, after version: Int
    ) throws(PostgresError) -> [StoredChange] {
        var changes: [StoredChange] = []
        for row in rows.indices {
            guard rows.int(row, 0) == version + row + 1 else {
                throw .corrupt(
                    place: "list \(list), version \(version + row + 1)",
                    reason: "its change is missing")
            }
            changes.append(StoredChange(version: rows.int(row, 0), bytes: rows.bytes(row, 1)))
        }
        return changes
    }

    static func holders(
        of tasks: [String], over connection: PostgresConnection
    ) throws(PostgresError) -> [String: String] {
        let rows = try connection.read([findHolders(.texts(tasks))])[0]
        var holders: [String: String] = [:]
        for row in rows.indices { holders[rows.text(row, 0)] = rows.text(row, 1) }
        return holders
    }

    static func summaries(
        after list: String?, limit: Int, over connection: PostgresConnection
    ) throws(PostgresError) -> [IndexedList] {
        // No id is empty, so all ids come after it.
        let rows = try connection.read([findSummaries(.text(list ?? ""), .int(limit))])[0]
        return rows.indices.map { row in
            IndexedList(
                id: rows.text(row, 0), title: String(decoding: rows.bytes(row, 1), as: UTF8.self),
                version: rows.int(row, 2), count: rows.int(row, 3),
                open: rows.isNull(row, 4) ? nil : rows.int(row, 4))
        }
    }

    /// - Parameter separately: whether lists and their changes are read by separate statements;
    ///   changes committed in between are discarded.
    static func listStates(
        of questions: [ListStateQuery], separately: Bool, over connection: PostgresConnection
    ) throws(PostgresError) -> [String: StoredListState] {
        let ids = Parameter.texts(questions.map(\.list))
        let known = Parameter.ints(questions.map { $0.known ?? unknown })
        let calls =
            separately
            ? [findPlainListStates(ids), findMissedChanges(ids, known)]
            : [findListStates(ids, known)]
        let question = connection.past.question
        let results = try connection.run(calls + (question.map { [$0.call] } ?? []))
        let rows = results[0]
        var listStates: [String: StoredListState] = [:]
        for row in rows.indices where listStates[rows.text(row, 0)] == nil {
            listStates[rows.text(row, 0)] = StoredListState(
                version: rows.int(row, 1), exists: rows.bool(row, 2),
                snapshotVersion: rows.int(row, 3), snapshotBytes: rows.int(row, 4), changes: [])
        }
        if separately {
            take(results[1], version: 1, into: &listStates)
        } else {
            take(rows, version: 6, into: &listStates)
        }
        var hasNewVersion = false
        for question in questions {
            guard let listState = listStates[question.list] else { continue }
            hasNewVersion = hasNewVersion || listState.version != question.known
            listStates[question.list]?.keepChanges(after: question.known)
        }
        let hasStandby = rows.count > 0 && rows.bool(0, 5)
        if let question {
            try connection.check(
                results[calls.count], question, sees: rows.count > 0 && !hasStandby)
        }
        // The known versions were confirmed as durable when they were first read.
        if hasNewVersion, hasStandby { try connection.confirm() }
        return listStates
    }

    /// Adds the changes of the rows that have one. The column `version` has a change's version, and
    /// the next column has its bytes.
    private static func take(
        _ rows: ResultRows, version: Int, into listStates: inout [String: StoredListState]
    ) {
        for row in rows.indices where !rows.isNull(row, version) {
            let list = rows.text(row, 0)
            let change = StoredChange(
                version: rows.int(row, version), bytes: rows.bytes(row, version + 1))
            guard let last = listStates[list]?.version, change.version <= last else { continue }
            listStates[list]?.changes.append(change)
        }
    }

    /// Greater than any version, so no change comes after it.
    private static let unknown = 1 << 60

    // MARK: Statements

    private static let findList = Statement(
        "find-list", "SELECT version, title IS NOT NULL FROM reorderd.list WHERE id = $1")

    private static let findForgotten = Statement(
        "find-forgotten",
        "SELECT greatest(forgotten, hidden) FROM reorderd.list WHERE id = $1")

    private static let findSnapshots = Statement(
        "find-snapshots",
        """
        SELECT version, body FROM reorderd.snapshot WHERE list = $1 ORDER BY version DESC LIMIT $2
        """)

    private static let findChangesAfterSnapshot = Statement(
        "find-changes-after-snapshot",
        """
        SELECT version, body FROM reorderd.change
        WHERE list = $1
            AND version > (SELECT max(version) FROM reorderd.snapshot WHERE list = $1)
        ORDER BY version
        """)

    private static let findChanges = Statement(
        "find-changes",
        """
        SELECT version, body FROM reorderd.change
        WHERE list = $1 AND version > $2 ORDER BY version LIMIT $3
        """)

    private static let findHolders = Statement(
        "find-holders", "SELECT id, list FROM reorderd.task WHERE id = ANY($1::text[])")

    private static let findSummaries = Statement(
        "find-summaries",
        """
        SELECT id, title, version, count, open FROM reorderd.list
        WHERE id > $1 AND title IS NOT NULL ORDER BY id LIMIT $2
        """)

    private static let findListStates = Statement(
        "find-list-states",
        """
        SELECT list.id, list.version, list.title IS NOT NULL, list.snapshot, list.snapshot_bytes,
            current_setting('synchronous_standby_names', true) <> '', change.version, change.body
        FROM unnest($1::text[], $2::bigint[]) AS asked (id, known)
        JOIN reorderd.list ON list.id = asked.id
        LEFT JOIN reorderd.change ON change.list = asked.id
            AND change.version > asked.known AND change.version <= asked.known + 64
            AND change.version > list.hidden
        """)

    private static let findPlainListStates = Statement(
        "find-plain-list-states",
        """
        SELECT id, version, title IS NOT NULL, snapshot, snapshot_bytes,
            current_setting('synchronous_standby_names', true) <> ''
        FROM reorderd.list WHERE id = ANY($1::text[])
        """)

    private static let findMissedChanges = Statement(
        "find-missed-changes",
        """
        SELECT change.list, change.version, change.body
        FROM unnest($1::text[], $2::bigint[]) AS asked (id, known)
        JOIN reorderd.change ON change.list = asked.id
            AND change.version > asked.known AND change.version <= asked.known + 64
        JOIN reorderd.list ON list.id = asked.id AND change.version > list.hidden
        """)
}

extension StoredListState {
    /// Discards the changes unless they lead from `known` to this version without gaps.
    fileprivate mutating func keepChanges(after known: Int?) {
        changes.sort { $0.version < $1.version }
        if let known, known + changes.count == version, changes.last?.version ?? known == version {
            return
        }
        changes = []
    }
}
