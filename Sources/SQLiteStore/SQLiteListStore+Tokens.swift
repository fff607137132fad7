import ReorderStore

/// The tokens that were made over HTTP.
extension SQLiteListStore {
    package func tokens(_ query: TokenQuery) throws(StoreError) -> [StoredToken] {
        try read { try $0.tokens(query) }
    }

    package func addToken(_ token: StoredToken) throws(StoreError) -> Bool {
        var isAdded = false
        try write(needing: .content) { isAdded = try $0.addToken(token) }
        return isAdded
    }

    package func removeTokens(_ ids: [String]) throws(StoreError) {
        try write(needing: .removal) { try $0.removeTokens(ids) }
    }
}
