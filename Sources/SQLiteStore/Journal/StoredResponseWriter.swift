import GRDB
import ReorderStore

/// Writes stored responses. It is used only for requests and operations with an idempotency key.
struct StoredResponseWriter {
    private let insertAnswer: PreparedStatement
    private let findExpired: PreparedStatement
    private let deleteAnswer: PreparedStatement

    /// Bounds the duration of `remove`, because commits wait for it, and removing a long response
    /// takes time.
    private static let bytesRemovedAtOnce = 4 << 20

    init(_ database: Database) throws {
        insertAnswer = try PreparedStatement(
            database,
            """
            INSERT INTO answer (owner, scope, key, at, expires, checksum, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (owner, scope, key) DO UPDATE SET at = excluded.at,
                expires = excluded.expires, checksum = excluded.checksum, body = excluded.body
            WHERE answer.expires <= excluded.at
            """)
        findExpired = try PreparedStatement(
            database,
            """
            SELECT answer, length(body) FROM answer WHERE expires <= ? ORDER BY expires LIMIT ?
            """)
        deleteAnswer = try PreparedStatement(database, "DELETE FROM answer WHERE answer = ?")
    }

    func insert(_ responses: [StoredResponse]) throws {
        for answer in responses {
            try insertAnswer.bind(answer.key.owner, at: 1)
            try insertAnswer.bind(answer.key.scope.rawValue, at: 2)
            try insertAnswer.bind(answer.key.key, at: 3)
            try insertAnswer.bind(Int(answer.at), at: 4)
            try insertAnswer.bind(Int(answer.expires), at: 5)
            try insertAnswer.bind(
                checksum(of: answer.bytes, version: Int(answer.expires)), at: 6)
            try insertAnswer.execute(answer.bytes, at: 7)
            guard insertAnswer.changedRows == 1 else {
                throw StoreError.conflict(list: answer.key.owner)
            }
        }
    }

    /// - Returns: whether there may be more.
    func remove(expiredAt time: Int, limit: Int) throws -> Bool {
        var found: [Int] = []
        var bytes = 0
        do {
            try findExpired.bind(time, at: 1)
            try findExpired.bind(limit, at: 2)
            defer { findExpired.reset() }
            while bytes < Self.bytesRemovedAtOnce, try findExpired.step() {
                found.append(findExpired.integer(0))
                bytes += findExpired.integer(1)
            }
        }
        for answer in found {
            try deleteAnswer.bind(answer, at: 1)
            try deleteAnswer.execute()
        }
        return found.count == limit || bytes >= Self.bytesRemovedAtOnce
    }
}
