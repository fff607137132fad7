import ReorderStore

/// Reads stored responses, and tokens that were made over HTTP.
extension SQLiteJournalReader {
    func hasExpiredResponses(at time: Int64) throws -> Bool {
        try sql.value("SELECT EXISTS (SELECT 1 FROM answer WHERE expires <= ?)", time) ?? false
    }

    func responses(to keys: [StoredResponseKey]) throws -> [StoredResponseKey: StoredResponse] {
        var responses: [StoredResponseKey: StoredResponse] = [:]
        for key in keys {
            responses[key] = try sql.first(
                """
                SELECT at, expires, body, checksum FROM answer
                WHERE owner = ? AND scope = ? AND key = ?
                """, key.owner, key.scope.rawValue, key.key
            ) { row in
                let response = StoredResponse(
                    key: key, at: row[0], expires: row[1], bytes: row[2])
                guard checksum(of: response.bytes, version: Int(response.expires)) == row[3] else {
                    throw StoreError.corrupt(
                        place: "response to request \(key.key) of \(key.owner)",
                        reason: "its checksum does not match")
                }
                return response
            }
        }
        return responses
    }

    func tokens(_ query: TokenQuery) throws -> [StoredToken] {
        switch query {
        case .page(let id, let limit):
            try sql.all(
                "SELECT id, body, list FROM token WHERE id > ? ORDER BY id LIMIT ?", id ?? "",
                limit, row: token)
        case .ids(let ids):
            try ids.sorted().compactMap { id in
                try sql.first("SELECT id, body, list FROM token WHERE id = ?", id, row: token)
            }
        case .links(let list):
            try sql.all(
                "SELECT id, body, list FROM token WHERE list = ? ORDER BY id", list, row: token)
        }
    }

    private func token(_ row: Statements.Row) -> StoredToken {
        StoredToken(id: row[0], bytes: row[1], list: row[2])
    }
}
