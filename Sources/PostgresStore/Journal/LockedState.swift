import ReorderStore

/// The stored state that an append depends on, with the rows of its lists and tasks locked.
struct LockedState {
    struct List {
        var version: Int
        var exists: Bool
        /// The versions of the newest snapshot and the one before it, or 0.
        var snapshot: Int
        var earlier: Int
        var snapshotBytes: Int
        var forgotten: Int
        /// The last version of a former list with this id, or 0.
        var hidden: Int
    }

    var lists: [String: List] = [:]
    /// The lists that contain the tasks.
    var holders: [String: String] = [:]
    var responses: [StoredResponseKey: StoredResponse] = [:]
    /// The number of the append's groups that an earlier attempt has written.
    var writtenCount = 0
    private var tablesVersion = 0
    /// The answer to the question about the past.
    private var past: ResultRows?

    /// Whether exactly these responses are stored.
    func holds(_ responses: some Sequence<StoredResponse>) -> Bool {
        responses.allSatisfy { self.responses[$0.key] == $0 }
    }
}

extension LockedState {
    /// Begins a transaction and reads the state. All appends lock rows in the same order.
    ///
    /// - Parameters:
    ///   - commitIDs: the numbers that the append's changes can have.
    ///   - eachAlone: whether each row is locked by its own statement.
    init(
        for groups: [CommitGroup], commitIDs: Range<Int>, isRetry: Bool, eachAlone: Bool,
        over connection: PostgresConnection
    ) throws(PostgresError) {
        let commits = groups.lazy.flatMap(\.commits)
        let lists = Set(commits.map(\.list)).sorted(by: Self.precedesInBytes)
        let deleted = Set(commits.filter { $0.stateAfter == .deleted }.map(\.list))
            .sorted(by: Self.precedesInBytes)
        let tasks = (commits.flatMap(\.insertedTasks) + commits.flatMap(\.deletedTasks))
            .sortedWithoutRepetition()
        // Locks the table against a migration until this transaction ends.
        var calls = [Statement.begin(), PostgresSchema.findVersion()]
        if tasks.count > Self.tasksAtOnce || !deleted.isEmpty {
            calls.append(Self.lengthenIdleTimeout())
        }
        if eachAlone {
            calls += lists.map { Self.lockList(.text($0)) }
            // The tasks of deleted lists are known only after the lists are locked.
            if !deleted.isEmpty { calls.append(Self.findTasks(.texts(deleted))) }
            try take(calls, over: connection)
            calls = (tasks + holders.keys).sortedWithoutRepetition()
                .map { Self.lockTask(.text($0)) }
            holders = [:]
        } else {
            calls.append(Self.lockLists(.texts(lists)))
            if !tasks.isEmpty || !deleted.isEmpty {
                let parts = Self.parts(tasks[...])
                for part in parts.dropLast() {
                    // Each statement has its own time limit.
                    try take(
                        calls + [Self.lockTasks(.texts(Array(part)), .texts([]))], over: connection)
                    calls = []
                }
                calls.append(
                    Self.lockTasks(.texts(Array(parts.last ?? [])), .texts(deleted)))
            }
        }
        let responses = groups.flatMap(\.responses).map(\.key)
        if !responses.isEmpty { calls.append(StoredResponseTable.find(responses)) }
        if isRetry {
            let first = groups.compactMap(\.commits.first)
            calls.append(
                Self.findWritten(
                    .texts(first.map(\.list)), .ints(first.map(\.version)),
                    .int(commitIDs.lowerBound), .int(commitIDs.upperBound)))
        }
        let question = connection.past.question
        if let question { calls.append(question.call) }
        try take(calls, over: connection)
        do throws(PostgresError) {
            try PostgresSchema.check(version: tablesVersion)
        } catch {
            try connection.run([Statement.rollback()])
            throw error
        }
        if let question, let past { try connection.check(past, question, sees: false) }
        past = nil
    }

    /// The database's order of ids, which are ASCII.
    static func precedesInBytes(_ one: String, _ other: String) -> Bool { one < other }

    /// How many tasks a statement handles: a larger one could take longer than the time limit.
    static let tasksAtOnce = 5_000

    /// The tasks of each statement.
    static func parts<Task>(_ tasks: ArraySlice<Task>) -> [ArraySlice<Task>] {
        stride(from: tasks.startIndex, to: tasks.endIndex, by: tasksAtOnce).map {
            tasks[$0..<min($0 + tasksAtOnce, tasks.endIndex)]
        }
    }

    /// Deciding on a large append takes longer than on others.
    private static let lengthenIdleTimeout = Statement(
        "lengthen-idle-timeout", "SET LOCAL idle_in_transaction_session_timeout = '60s'")

    private mutating func take(
        _ calls: [BoundStatement], over connection: PostgresConnection
    ) throws(PostgresError) {
        var rest = calls[...]
        while !rest.isEmpty {
            let calls = Array(rest.prefix(FeatureFallback.statementsAtOnce))
            rest = rest.dropFirst(calls.count)
            for (call, rows) in zip(calls, try connection.run(calls)) {
                take(rows, of: call.statement)
            }
        }
    }

    private mutating func take(_ rows: ResultRows, of statement: Statement) {
        switch statement.name {
        case Self.lockLists.name, Self.lockList.name:
            for row in rows.indices {
                lists[rows.text(row, 0)] = List(
                    version: rows.int(row, 1), exists: rows.bool(row, 2),
                    snapshot: rows.int(row, 3), earlier: rows.int(row, 4),
                    snapshotBytes: rows.int(row, 5), forgotten: rows.int(row, 6),
                    hidden: rows.int(row, 7))
            }
        case Self.lockTasks.name, Self.lockTask.name, Self.findTasks.name:
            for row in rows.indices { holders[rows.text(row, 0)] = rows.text(row, 1) }
        case PostgresSchema.findVersion.name: tablesVersion = rows.int(0, 0)
        case Self.findWritten.name: writtenCount = rows.int(0, 0)
        case StoredResponseTable.findResponses.name: responses = StoredResponseTable.responses(rows)
        case PastCheck.Question.name: past = rows
        default: break
        }
    }

    private static let lockLists = Statement(
        "lock-lists",
        """
        SELECT id, version, title IS NOT NULL, snapshot, earlier, snapshot_bytes, forgotten,
            hidden
        FROM reorderd.list WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE
        """)

    private static let lockList = Statement(
        "lock-list",
        """
        SELECT id, version, title IS NOT NULL, snapshot, earlier, snapshot_bytes, forgotten,
            hidden
        FROM reorderd.list WHERE id = $1 FOR UPDATE
        """)

    private static let findTasks = Statement(
        "find-tasks", "SELECT id, list FROM reorderd.task WHERE list = ANY($1::text[])")

    private static let lockTask = Statement(
        "lock-task", "SELECT id, list FROM reorderd.task WHERE id = $1 FOR UPDATE")

    private static let lockTasks = Statement(
        "lock-tasks",
        """
        SELECT id, list FROM reorderd.task
        WHERE id = ANY($1::text[]
            || ARRAY(SELECT id FROM reorderd.task WHERE list = ANY($2::text[]))::text[])
        ORDER BY id FOR UPDATE
        """)

    private static let findWritten = Statement(
        "find-written",
        """
        SELECT count(*) FROM unnest($1::text[], $2::bigint[]) AS mine (list, version)
        JOIN reorderd.change USING (list, version) WHERE commit_id >= $3 AND commit_id < $4
        """)
}
