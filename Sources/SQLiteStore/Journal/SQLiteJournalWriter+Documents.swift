import ReorderStore

/// Writes stored responses, and tokens that were made over HTTP.
extension SQLiteJournalWriter {
    func insert(_ responses: [StoredResponse]) throws {
        for response in responses {
            let count = try sql.execute(
                """
                INSERT INTO answer (owner, scope, key, at, expires, checksum, body)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (owner, scope, key) DO UPDATE SET at = excluded.at,
                    expires = excluded.expires, checksum = excluded.checksum, body = excluded.body
                WHERE answer.expires <= excluded.at
                """, response.key.owner, response.key.scope.rawValue, response.key.key,
                response.at, response.expires,
                checksum(of: response.bytes, version: Int(response.expires)),
                body: response.bytes)
            guard count == 1 else { throw StoreError.conflict(list: response.key.owner) }
        }
    }

    /// Bounds the duration of `removeResponses`, because commits wait for it, and removing a long
    /// response takes time.
    private static var bytesRemovedAtOnce: Int { 4 << 20 }

    /// Removes expired responses in one transaction.
    ///
    /// - Returns: whether there may be more.
    func removeResponses(expiredAt time: Int64, limit: Int) throws -> Bool {
        try sql.inTransaction {
            var found: [Int] = []
            var bytes = 0
            try sql.forEach(
                """
                SELECT answer, length(body) FROM answer WHERE expires <= ?
                ORDER BY expires LIMIT ?
                """, time, limit
            ) {
                found.append($0[0])
                bytes += $0[1]
                return bytes < Self.bytesRemovedAtOnce
            }
            for answer in found { try sql.execute("DELETE FROM answer WHERE answer = ?", answer) }
            return found.count == limit || bytes >= Self.bytesRemovedAtOnce
        }
    }

    /// Adds a token in one transaction.
    ///
    /// - Returns: false if the token's list does not exist.
    func addToken(_ token: StoredToken) throws -> Bool {
        try sql.inTransaction {
            let count = try sql.execute(
                """
                INSERT INTO token (id, list, body) SELECT ?1, ?2, ?3
                WHERE ?2 IS NULL OR EXISTS (SELECT 1 FROM list WHERE id = ?2 AND title IS NOT NULL)
                ON CONFLICT (id) DO NOTHING
                """, token.id, token.list, body: token.bytes)
            guard count == 0 else { return true }
            let stored: [UInt8]? = try sql.value("SELECT body FROM token WHERE id = ?", token.id)
            guard let stored else { return false }
            guard stored == token.bytes else { throw StoreError.conflict(list: token.id) }
            return true
        }
    }

    /// Removes tokens in one transaction.
    func removeTokens(_ ids: [String]) throws {
        try sql.inTransaction {
            for id in ids { try sql.execute("DELETE FROM token WHERE id = ?", id) }
        }
    }
}
