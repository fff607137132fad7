import GRDB
import ReorderStore

/// Adds and removes the tokens that were made over HTTP.
struct TokenWriter {
    private let insertToken: PreparedStatement
    private let findToken: PreparedStatement
    private let deleteToken: PreparedStatement
    private let deleteTokensOfList: PreparedStatement

    init(_ database: Database) throws {
        insertToken = try PreparedStatement(
            database,
            """
            INSERT INTO token (id, list, body) SELECT ?1, ?2, ?3
            WHERE ?2 IS NULL OR EXISTS (SELECT 1 FROM list WHERE id = ?2 AND title IS NOT NULL)
            ON CONFLICT (id) DO NOTHING
            """)
        findToken = try PreparedStatement(database, "SELECT body FROM token WHERE id = ?")
        deleteToken = try PreparedStatement(database, "DELETE FROM token WHERE id = ?")
        deleteTokensOfList = try PreparedStatement(database, "DELETE FROM token WHERE list = ?")
    }

    /// - Returns: false if the token's list does not exist.
    fileprivate func insert(_ token: StoredToken) throws -> Bool {
        try insertToken.bind(token.id, at: 1)
        try insertToken.bind(token.list, at: 2)
        try insertToken.execute(token.bytes, at: 3)
        guard insertToken.changedRows == 0 else { return true }
        try findToken.bind(token.id, at: 1)
        defer { findToken.reset() }
        guard try findToken.step() else { return false }
        guard findToken.bytes(0) == token.bytes else {
            throw StoreError.conflict(list: token.id)
        }
        return true
    }

    fileprivate func remove(_ id: String) throws {
        try deleteToken.bind(id, at: 1)
        try deleteToken.execute()
    }

    func removeAll(of list: String) throws {
        try deleteTokensOfList.bind(list, at: 1)
        try deleteTokensOfList.execute()
    }
}

extension SQLiteJournalWriter {
    /// Adds a token in one transaction.
    ///
    /// - Returns: false if the token's list does not exist.
    func addToken(_ token: StoredToken, in database: Database) throws -> Bool {
        var isAdded = false
        try inTransaction(on: database) { isAdded = try tokens.insert(token) }
        return isAdded
    }

    /// Removes tokens in one transaction.
    func removeTokens(_ ids: [String], in database: Database) throws {
        try inTransaction(on: database) {
            for id in ids { try tokens.remove(id) }
        }
    }
}
