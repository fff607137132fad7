import ReorderStore

/// What the store holds of what an append is about, with the rows of lists and tasks locked.
struct StoredState {
    struct List {
        var version: Int
        var exists: Bool
        /// The newest snapshot's version and the earlier one's; 0: there is none.
        var snapshot: Int
        var earlier: Int
        var snapshotBytes: Int
        var forgotten: Int
    }

    var lists: [String: List] = [:]
    /// The lists that hold tasks.
    var holders: [String: String] = [:]
    var answers: [AnswerKey: StoredAnswer] = [:]
    /// How many of the append's groups are there already, by an earlier try.
    var writtenCount = 0

    /// Whether answers are there already, as they were to be kept.
    func holds(_ answers: some Sequence<StoredAnswer>) -> Bool {
        answers.allSatisfy { self.answers[$0.key] == $0 }
    }

    /// The statements that read it, in the order in which rows are locked.
    static func calls(for groups: [CommitGroup], commitID: Int, isRetry: Bool) -> [Call] {
        let commits = groups.lazy.flatMap(\.commits)
        let deleted = Set(commits.filter { $0.outcome == .deleted }.map(\.list))
        let tasks = Set(commits.flatMap(\.insertedTasks) + commits.flatMap(\.deletedTasks))
        let answers = groups.flatMap(\.answers).map(\.key)
        var calls = [lockLists(.texts(Set(commits.map(\.list)).sorted(by: inBytes)))]
        if !tasks.isEmpty || !deleted.isEmpty {
            calls.append(
                lockTasks(.texts(tasks.sorted(by: inBytes)), .texts(deleted.sorted(by: inBytes))))
        }
        if !answers.isEmpty { calls.append(AnswerTable.find(answers)) }
        if isRetry {
            let first = groups.compactMap(\.commits.first)
            calls.append(
                findWritten(
                    .texts(first.map(\.list)), .ints(first.map(\.version)), .int(commitID),
                    .int(commitID + Append.mostCommits)))
        }
        return calls
    }

    /// As the database orders them.
    static func inBytes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    init(_ calls: [Call], _ results: [Rows]) {
        for (call, rows) in zip(calls, results) {
            switch call.statement.name {
            case Self.lockLists.name:
                for row in rows.indices {
                    lists[rows.text(row, 0)] = List(
                        version: rows.int(row, 1), exists: rows.bool(row, 2),
                        snapshot: rows.int(row, 3), earlier: rows.int(row, 4),
                        snapshotBytes: rows.int(row, 5), forgotten: rows.int(row, 6))
                }
            case Self.lockTasks.name:
                for row in rows.indices { holders[rows.text(row, 0)] = rows.text(row, 1) }
            case Self.findWritten.name: writtenCount = rows.int(0, 0)
            default: answers = AnswerTable.answers(rows)
            }
        }
    }

    private static let lockLists = Statement(
        "lock-lists",
        """
        SELECT id, version, title IS NOT NULL, snapshot, earlier, snapshot_bytes, forgotten
        FROM reorderd.list WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE
        """)

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
