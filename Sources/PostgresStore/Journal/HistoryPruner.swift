import ReorderStore

/// Prunes changes beyond the retention limits, for a bounded number of lists at a time.
struct HistoryPruner {
    /// The last list that the current pass has finished; nil before the first.
    private var cursor: String?

    private static let listsPerScan = 4_096
    private static let listsPerTransaction = 64

    /// - Returns: whether the pass is unfinished.
    mutating func prune(
        olderThan time: Int, orFrom future: Int, keepingLast: Int, limit: Int, eachAlone: Bool,
        over connection: PostgresConnection
    ) throws(PostgresError) -> Bool {
        let scan = try connection.run([
            findLists(
                .text(cursor ?? ""), .int(Self.listsPerScan), .int(max(1, keepingLast)),
                .int(time), .int(Self.listsPerTransaction), .int(future)),
            findEnd(.text(cursor ?? ""), .int(Self.listsPerScan)),
        ])
        let lists = scan[0].indices.map { scan[0].text($0, 0) }
        let end = scan[1].isNull(0, 0) ? nil : scan[1].text(0, 0)
        let isEndReached = lists.count < Self.listsPerTransaction
        let isLast = scan[1].int(0, 1) < Self.listsPerScan
        var room = limit
        if !lists.isEmpty {
            room -= try prune(
                lists, olderThan: time, orFrom: future, keepingLast: keepingLast, limit: limit,
                eachAlone: eachAlone, over: connection)
            // These lists may have more changes to prune.
            if room == 0 { return true }
        }
        cursor = isEndReached ? end : lists.last
        if isEndReached, isLast {
            cursor = nil
            return false
        }
        return true
    }

    /// - Returns: the number of pruned changes.
    private func prune(
        _ lists: [String], olderThan time: Int, orFrom future: Int, keepingLast: Int, limit: Int,
        eachAlone: Bool, over connection: PostgresConnection
    ) throws(PostgresError) -> Int {
        // Locked first, so that exactly the changes found are deleted.
        let locks = eachAlone ? lists.map { lockList(.text($0)) } : [lockLists(.texts(lists))]
        let results = try connection.run(
            [Statement.begin()] + locks
                + lists.map { findChanges(.text($0), .int(max(1, keepingLast)), .int(limit)) })
        var (ids, last, next): ([String], [Int], [Int]) = ([], [], [])
        var count = 0
        for (list, changes) in zip(lists, results.suffix(lists.count)) {
            let old = changes.indices.prefix {
                changes.int($0, 1) < time || changes.int($0, 1) >= future
            }.prefix(limit - count)
            guard let end = old.last else { continue }
            count += old.count
            ids.append(list)
            last.append(changes.int(end, 0))
            // Afterwards the list's oldest change is the next one.
            next.append(changes.int(end, 2))
        }
        try connection.run([
            deleteChanges(.texts(ids), .ints(last)),
            updateLists(.texts(ids), .ints(last), .ints(next)), Statement.commit(),
        ])
        return count
    }

    // MARK: Statements

    private let findLists = Statement(
        "find-lists-with-old-changes",
        """
        SELECT id FROM (
            SELECT id, version, forgotten, oldest FROM reorderd.list
            WHERE id > $1 ORDER BY id LIMIT $2) AS batch
        WHERE version > $3 AND version - forgotten > $3 AND (oldest < $4 OR oldest >= $6)
        ORDER BY id LIMIT $5
        """)

    private let findEnd = Statement(
        "find-end-of-batch",
        """
        SELECT max(id), count(*) FROM (
            SELECT id FROM reorderd.list WHERE id > $1 ORDER BY id LIMIT $2) AS batch
        """)

    private let lockLists = Statement(
        "lock-lists-with-old-changes",
        "SELECT id FROM reorderd.list WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE")

    private let lockList = Statement(
        "lock-list-with-old-changes", "SELECT id FROM reorderd.list WHERE id = $1 FOR UPDATE")

    /// The changes that are not needed for snapshots, oldest first, each with the time of the next
    /// one.
    private let findChanges = Statement(
        "find-old-changes",
        """
        SELECT change.version, change.at, following.at
        FROM reorderd.list
        JOIN reorderd.change ON change.list = list.id AND change.version > list.forgotten
            AND change.version <= list.version - $2
            AND (list.snapshot = 0 OR change.version <=
                CASE WHEN list.earlier > 0 THEN list.earlier ELSE list.snapshot END)
        JOIN reorderd.change AS following
            ON following.list = change.list AND following.version = change.version + 1
        WHERE list.id = $1 ORDER BY change.version LIMIT $3
        """)

    private let deleteChanges = Statement(
        "delete-old-changes",
        """
        DELETE FROM reorderd.change USING unnest($1::text[], $2::bigint[]) AS gone (list, version)
        WHERE change.list = gone.list AND change.version <= gone.version
        """)

    private let updateLists = Statement(
        "update-lists-with-old-changes",
        """
        UPDATE reorderd.list SET forgotten = gone.version, oldest = gone.next
        FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS gone (id, version, next)
        WHERE list.id = gone.id
        """)
}
