import ReorderStore

/// Reads, adds and removes the tokens that were made over HTTP.
enum PostgresTokens {
    static func all(
        over connection: PostgresConnection
    ) throws(PostgresError) -> [StoredToken] {
        let rows = try connection.read([findTokens()])[0]
        return rows.indices.map { StoredToken(id: rows.text($0, 0), bytes: rows.bytes($0, 1)) }
    }

    /// Adds a token. May be repeated.
    ///
    /// - Returns: false if another token has its id.
    static func add(
        _ token: StoredToken, notifies: Bool, over connection: PostgresConnection
    ) throws(PostgresError) -> Bool {
        try change(insertToken(.text(token.id), .bytes(token.bytes)), notifies, connection)
        let rows = try connection.read([findToken(.text(token.id))])[0]
        return rows.count > 0 && rows.bytes(0, 0) == token.bytes
    }

    static func remove(
        _ ids: [String], notifies: Bool, over connection: PostgresConnection
    ) throws(PostgresError) {
        try change(deleteTokens(.texts(ids)), notifies, connection)
    }

    private static func change(
        _ call: BoundStatement, _ notifies: Bool, _ connection: PostgresConnection
    ) throws(PostgresError) {
        _ = try connection.read(
            [Statement.begin(), call] + (notifies ? [notify()] : []) + [Statement.commit()])
    }

    private static let findTokens = Statement(
        "find-tokens", "SELECT id, body FROM reorderd.token ORDER BY id")

    private static let findToken = Statement(
        "find-token", "SELECT body FROM reorderd.token WHERE id = $1")

    private static let insertToken = Statement(
        "insert-token",
        "INSERT INTO reorderd.token (id, body) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING")

    private static let deleteTokens = Statement(
        "delete-tokens", "DELETE FROM reorderd.token WHERE id = ANY($1::text[])")

    private static let notify = Statement(
        "notify-tokens",
        "SELECT pg_notify('\(CommitNotification.channel)', '\(CommitNotification.tokensChanged)')")
}
