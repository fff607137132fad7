import ReorderStore

/// Reads, adds and removes the tokens that were made over HTTP.
enum PostgresTokens {
    static func find(
        _ query: TokenQuery, over connection: PostgresConnection
    ) throws(PostgresError) -> [StoredToken] {
        let call =
            switch query {
            case .page(let id, let limit): findPage(.text(id ?? ""), .int(limit))
            case .ids(let ids): findTokens(.texts(ids))
            case .links(let list): findLinks(.text(list))
            }
        let rows = try connection.read([call])[0]
        return rows.indices.map {
            StoredToken(
                id: rows.text($0, 0), bytes: rows.bytes($0, 1),
                list: rows.isNull($0, 2) ? nil : rows.text($0, 2))
        }
    }

    static func state(
        over connection: PostgresConnection
    ) throws(PostgresError) -> TokenState {
        let rows = try connection.read([findState()])[0]
        return TokenState(
            count: rows.int(0, 0), checksum: rows.int(0, 1))
    }

    /// Adds a token. May be repeated.
    ///
    /// - Returns: the content of the token that has its id; nil if the token's list does not exist.
    static func add(
        _ token: StoredToken, notifies: Bool, over connection: PostgresConnection
    ) throws(PostgresError) -> [UInt8]? {
        let (id, bytes) = (Parameter.text(token.id), Parameter.bytes(token.bytes))
        let insert = token.list.map { insertLink(id, bytes, .text($0)) } ?? insertToken(id, bytes)
        try change(insert, [token.id], notifies, connection)
        let rows = try connection.read([findToken(id)])[0]
        return rows.count > 0 ? rows.bytes(0, 0) : nil
    }

    static func remove(
        _ ids: [String], notifies: Bool, over connection: PostgresConnection
    ) throws(PostgresError) {
        try change(deleteTokens(.texts(ids)), ids, notifies, connection)
    }

    private static func change(
        _ call: BoundStatement, _ ids: [String], _ notifies: Bool, _ connection: PostgresConnection
    ) throws(PostgresError) {
        _ = try connection.read(
            [Statement.begin(), call] + (notifies ? [notify(.texts(ids))] : [])
                + [Statement.commit()])
    }

    private static let findPage = Statement(
        "find-page-of-tokens",
        "SELECT id, body, list FROM reorderd.token WHERE id > $1 ORDER BY id LIMIT $2")

    private static let findTokens = Statement(
        "find-tokens",
        "SELECT id, body, list FROM reorderd.token WHERE id = ANY($1::text[]) ORDER BY id")

    private static let findLinks = Statement(
        "find-links", "SELECT id, body, list FROM reorderd.token WHERE list = $1 ORDER BY id")

    private static let findState = Statement(
        "find-state-of-tokens",
        """
        SELECT count(*), coalesce(sum(ascii(right(id, 1)) + (ascii(right(id, 2)) << 7)
            + (ascii(right(id, 3)) << 14) + (ascii(right(id, 4))::bigint << 21)
            + (ascii(right(id, 5))::bigint << 28)), 0)::bigint
        FROM reorderd.token
        """)

    private static let findToken = Statement(
        "find-token", "SELECT body FROM reorderd.token WHERE id = $1")

    private static let insertToken = Statement(
        "insert-token",
        "INSERT INTO reorderd.token (id, body) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING")

    /// Waits for an append that changes the list.
    private static let insertLink = Statement(
        "insert-link",
        """
        INSERT INTO reorderd.token (id, body, list)
        SELECT $1, $2, id FROM reorderd.list WHERE id = $3 AND title IS NOT NULL FOR UPDATE
        ON CONFLICT (id) DO NOTHING
        """)

    private static let deleteTokens = Statement(
        "delete-tokens", "DELETE FROM reorderd.token WHERE id = ANY($1::text[])")

    /// Removes the links to lists.
    static func removeLinks(to lists: [String], notifies: Bool) -> BoundStatement {
        (notifies ? deleteLinksAndNotify : deleteLinks)(.texts(lists))
    }

    private static let deleteLinks = Statement(
        "delete-links", "DELETE FROM reorderd.token WHERE list = ANY($1::text[])")

    private static let deleteLinksAndNotify = Statement(
        "delete-links-and-notify",
        """
        WITH gone AS (DELETE FROM reorderd.token WHERE list = ANY($1::text[]) RETURNING id)
        SELECT \(sendNotification) FROM gone
        """)

    private static let notify = Statement(
        "notify-tokens", "SELECT \(sendNotification) FROM unnest($1::text[]) AS id")

    private static let sendNotification =
        "pg_notify('\(CommitNotification.channel)', '\(CommitNotification.tokenPrefix)' || id)"
}
