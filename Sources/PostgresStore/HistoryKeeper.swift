import ReorderStore

/// Removes the changes that are no longer to be kept, a bounded number of lists at a time.
struct HistoryKeeper {
    /// How far a pass is: the last list that is done; `nil` before the first.
    private var cursor: String?

    private static let listsInOneLook = 4_096
    private static let listsAtOnce = 64

    /// - Returns: whether the pass goes on.
    mutating func forget(
        olderThan time: Int, orFrom future: Int, keepingLast: Int, limit: Int, eachAlone: Bool,
        over connection: PostgresConnection
    ) throws(PostgresError) -> Bool {
        let look = try connection.run([
            findLists(
                .text(cursor ?? ""), .int(Self.listsInOneLook), .int(max(1, keepingLast)),
                .int(time), .int(Self.listsAtOnce), .int(future)),
            findEnd(.text(cursor ?? ""), .int(Self.listsInOneLook)),
        ])
        let lists = look[0].indices.map { look[0].text($0, 0) }
        let end = look[1].isNull(0, 0) ? nil : look[1].text(0, 0)
        let isEndReached = lists.count < Self.listsAtOnce
        let isLast = look[1].int(0, 1) < Self.listsInOneLook
        var room = limit
        if !lists.isEmpty {
            room -= try forget(
                lists, olderThan: time, orFrom: future, keepingLast: keepingLast, limit: limit,
                eachAlone: eachAlone, over: connection)
            // There may be more of these lists.
            if room == 0 { return true }
        }
        cursor = isEndReached ? end : lists.last
        if isEndReached, isLast {
            cursor = nil
            return false
        }
        return true
    }

    /// - Returns: how many went.
    private func forget(
        _ lists: [String], olderThan time: Int, orFrom future: Int, keepingLast: Int, limit: Int,
        eachAlone: Bool, over connection: PostgresConnection
    ) throws(PostgresError) -> Int {
        // Locked first, so that what is found is what goes.
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
            // From then on the list's oldest change is the one after it.
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
            WHERE id > $1 ORDER BY id LIMIT $2) AS looked
        WHERE version > $3 AND version - forgotten > $3 AND (oldest < $4 OR oldest >= $6)
        ORDER BY id LIMIT $5
        """)

    private let findEnd = Statement(
        "find-end-of-look",
        """
        SELECT max(id), count(*) FROM (
            SELECT id FROM reorderd.list WHERE id > $1 ORDER BY id LIMIT $2) AS looked
        """)

    private let lockLists = Statement(
        "lock-lists-with-old-changes",
        "SELECT id FROM reorderd.list WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE")

    private let lockList = Statement(
        "lock-list-with-old-changes", "SELECT id FROM reorderd.list WHERE id = $1 FOR UPDATE")

    /// Those that are not needed, oldest first, with the time of the one after each.
    private let findChanges = Statement(
        "find-old-changes",
        """
        SELECT change.version, change.at, following.at
        FROM reorderd.list
        JOIN reorderd.change ON change.list = list.id AND change.version > list.forgotten
            AND change.version <= list.version - $2
            AND (list.title IS NULL OR change.version <=
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
