import GRDB
import ReorderStore

/// Reads the tokens that were made over HTTP.
struct TokenReader {
    private let findPage: PreparedStatement
    private let findToken: PreparedStatement
    private let findLinks: PreparedStatement

    init(_ database: Database) throws {
        let select = "SELECT id, body, list FROM token WHERE"
        findPage = try PreparedStatement(database, "\(select) id > ? ORDER BY id LIMIT ?")
        findToken = try PreparedStatement(database, "\(select) id = ?")
        findLinks = try PreparedStatement(database, "\(select) list = ? ORDER BY id")
    }

    func tokens(_ query: TokenQuery) throws -> [StoredToken] {
        switch query {
        case .page(let id, let limit):
            try findPage.bind(id ?? "", at: 1)
            try findPage.bind(limit, at: 2)
            return try tokens(findPage)
        case .ids(let ids):
            return try ids.sorted().flatMap { id in
                try findToken.bind(id, at: 1)
                return try tokens(findToken)
            }
        case .links(let list):
            try findLinks.bind(list, at: 1)
            return try tokens(findLinks)
        }
    }

    private func tokens(_ statement: PreparedStatement) throws -> [StoredToken] {
        defer { statement.reset() }
        var tokens: [StoredToken] = []
        while try statement.step() {
            tokens.append(
                StoredToken(
                    id: statement.text(0), bytes: statement.bytes(1),
                    list: statement.isNull(2) ? nil : statement.text(2)))
        }
        return tokens
    }
}
