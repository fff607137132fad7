import ReorderStore

/// Reads and writes stored responses.
enum StoredResponseTable {
    // MARK: Reading

    static func find(_ keys: [StoredResponseKey]) -> BoundStatement {
        findResponses(
            .texts(keys.map(\.owner)), .ints(keys.map(\.scope.rawValue)), .texts(keys.map(\.key)))
    }

    static let findResponses = Statement(
        "find-answers",
        """
        SELECT owner, scope, key, at, expires, body
        FROM unnest($1::text[], $2::bigint[], $3::text[]) AS wanted (owner, scope, key)
        JOIN reorderd.answer USING (owner, scope, key)
        """)

    static func responses(_ rows: ResultRows) -> [StoredResponseKey: StoredResponse] {
        var responses: [StoredResponseKey: StoredResponse] = [:]
        for row in rows.indices {
            guard let scope = StoredResponseKey.Scope(rawValue: rows.int(row, 1)) else { continue }
            let key = StoredResponseKey(scope, of: rows.text(row, 0), rows.text(row, 2))
            responses[key] = StoredResponse(
                key: key, at: Int64(rows.int(row, 3)), expires: Int64(rows.int(row, 4)),
                bytes: rows.bytes(row, 5))
        }
        return responses
    }

    // MARK: Writing

    /// Inserts responses. If a key already has an unexpired response, its row stays unchanged and
    /// is not counted.
    static func keep(_ responses: [StoredResponse]) -> BoundStatement {
        // Sorted, so that concurrent inserts of the same keys do not deadlock.
        let responses = responses.sorted { one, other in
            (one.key.owner, one.key.scope.rawValue, one.key.key)
                < (other.key.owner, other.key.scope.rawValue, other.key.key)
        }
        return insertAnswers(
            .texts(responses.map(\.key.owner)), .ints(responses.map(\.key.scope.rawValue)),
            .texts(responses.map(\.key.key)), .ints(responses.map { Int($0.at) }),
            .ints(responses.map { Int($0.expires) }), .byteArrays(responses.map(\.bytes)))
    }

    private static let insertAnswers = Statement(
        "insert-answers",
        """
        INSERT INTO reorderd.answer AS stored (owner, scope, key, at, expires, body)
        SELECT owner, scope, key, at, expires, body
        FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bytea[])
            AS new (owner, scope, key, at, expires, body)
        ON CONFLICT (owner, scope, key) DO UPDATE
            SET at = excluded.at, expires = excluded.expires, body = excluded.body
            WHERE stored.expires <= excluded.at
        """)

    // MARK: Removing

    /// Removes some of the expired responses; responses that another server has locked are skipped.
    ///
    /// - Parameter eachAlone: true if the database can't lock several rows with one statement. Then
    ///   each row has its own `DELETE`, which checks the expiry again.
    /// - Returns: whether there may be more.
    static func remove(
        expiredAt time: Int64, limit: Int, eachAlone: Bool, over connection: PostgresConnection
    ) throws(PostgresError) -> Bool {
        let find = eachAlone ? findExpired : lockExpired
        let found = try connection.run([
            Statement.begin(), find(.int(Int(time)), .int(limit)),
        ])[1]
        var bytes = 0
        var gone: [(owner: String, scope: Int, key: String)] = []
        for row in found.indices where bytes < bytesAtOnce {
            gone.append((found.text(row, 0), found.int(row, 1), found.text(row, 2)))
            bytes += found.int(row, 3)
        }
        gone.sort(by: <)
        let deletions =
            eachAlone
            ? gone.map {
                deleteAnswer(.text($0.owner), .int($0.scope), .text($0.key), .int(Int(time)))
            }
            : [
                deleteAnswers(
                    .texts(gone.map(\.owner)), .ints(gone.map(\.scope)), .texts(gone.map(\.key)))
            ]
        try connection.run(deletions + [Statement.commit()])
        return gone.count < found.count || found.count == limit
    }

    /// Bounds the time for which a commit may have to wait.
    private static let bytesAtOnce = 4 << 20

    private static let lockExpired = Statement(
        "lock-expired",
        """
        SELECT owner, scope, key, octet_length(body)::bigint FROM reorderd.answer
        WHERE expires <= $1 ORDER BY expires LIMIT $2 FOR UPDATE SKIP LOCKED
        """)

    private static let findExpired = Statement(
        "find-expired",
        """
        SELECT owner, scope, key, octet_length(body)::bigint FROM reorderd.answer
        WHERE expires <= $1 ORDER BY expires LIMIT $2
        """)

    private static let deleteAnswer = Statement(
        "delete-answer",
        """
        DELETE FROM reorderd.answer
        WHERE owner = $1 AND scope = $2 AND key = $3 AND expires <= $4
        """)

    private static let deleteAnswers = Statement(
        "delete-answers",
        """
        DELETE FROM reorderd.answer
        USING unnest($1::text[], $2::bigint[], $3::text[]) AS gone (owner, scope, key)
        WHERE answer.owner = gone.owner AND answer.scope = gone.scope AND answer.key = gone.key
        """)
}
