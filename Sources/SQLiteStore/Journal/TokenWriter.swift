import GRDB
import ReorderStore

/// Adds and removes the tokens that were made over HTTP.
struct TokenWriter {
    private let insertToken: PreparedStatement
    private let findToken: PreparedStatement
    private let deleteToken: PreparedStatement

    init(_ database: Database) throws {
        insertToken = try PreparedStatement(
            database,
            "INSERT INTO token (id, body) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING")
        findToken = try PreparedStatement(database, "SELECT body FROM token WHERE id = ?")
        deleteToken = try PreparedStatement(database, "DELETE FROM token WHERE id = ?")
    }

    func insert(_ token: StoredToken) throws {
        try insertToken.bind(token.id, at: 1)
        try insertToken.execute(token.bytes, at: 2)
        guard insertToken.changedRows == 0 else { return }
        try findToken.bind(token.id, at: 1)
        defer { findToken.reset() }
        guard try findToken.step(), findToken.bytes(0) == token.bytes else {
            throw StoreError.conflict(list: token.id)
        }
    }

    func remove(_ id: String) throws {
        try deleteToken.bind(id, at: 1)
        try deleteToken.execute()
    }
}
