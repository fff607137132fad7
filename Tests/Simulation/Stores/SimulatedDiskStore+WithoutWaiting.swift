import ReorderStore

// The service calls these under a lock, so they do not let other threads run.

extension SimulatedDiskStore {
    func tokens(_ query: TokenQuery) throws(StoreError) -> [StoredToken] {
        try reach()
        return try store.tokens(query)
    }

    func addToken(_ token: StoredToken) throws(StoreError) -> Bool {
        try reach()
        return try store.addToken(token)
    }

    func removeTokens(_ ids: [String]) throws(StoreError) {
        try reach()
        try store.removeTokens(ids)
    }
}
