import GRDB
import ReorderStore

/// Reads the tokens that were made over HTTP.
struct TokenReader {
    private let findTokens: PreparedStatement

    init(_ database: Database) throws {
        findTokens = try PreparedStatement(database, "SELECT id, body, list FROM token ORDER BY id")
    }

    func tokens() throws -> [StoredToken] {
        defer { findTokens.reset() }
        var tokens: [StoredToken] = []
        while try findTokens.step() {
            tokens.append(
                StoredToken(
                    id: findTokens.text(0), bytes: findTokens.bytes(1),
                    list: findTokens.isNull(2) ? nil : findTokens.text(2)))
        }
        return tokens
    }
}
