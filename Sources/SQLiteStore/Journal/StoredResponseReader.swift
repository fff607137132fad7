import GRDB
import ReorderStore

/// Reads stored responses.
struct StoredResponseReader {
    private let findAnswer: PreparedStatement
    private let findExpired: PreparedStatement

    init(_ database: Database) throws {
        findAnswer = try PreparedStatement(
            database,
            """
            SELECT at, expires, body, checksum FROM answer
            WHERE owner = ? AND scope = ? AND key = ?
            """)
        findExpired = try PreparedStatement(
            database, "SELECT 1 FROM answer WHERE expires <= ? LIMIT 1")
    }

    func hasExpired(at time: Int) throws -> Bool {
        try findExpired.bind(time, at: 1)
        defer { findExpired.reset() }
        return try findExpired.step()
    }

    func responses(to keys: [StoredResponseKey]) throws -> [StoredResponseKey: StoredResponse] {
        var responses: [StoredResponseKey: StoredResponse] = [:]
        for key in keys {
            try findAnswer.bind(key.owner, at: 1)
            try findAnswer.bind(key.scope.rawValue, at: 2)
            try findAnswer.bind(key.key, at: 3)
            defer { findAnswer.reset() }
            guard try findAnswer.step() else { continue }
            let answer = StoredResponse(
                key: key, at: Int64(findAnswer.integer(0)),
                expires: Int64(findAnswer.integer(1)), bytes: findAnswer.bytes(2))
            guard
                checksum(of: answer.bytes, version: Int(answer.expires)) == findAnswer.integer(3)
            else {
                throw StoreError.corrupt(
                    place: "response to request \(key.key) of \(key.owner)",
                    reason: "its checksum does not match")
            }
            responses[key] = answer
        }
        return responses
    }
}
