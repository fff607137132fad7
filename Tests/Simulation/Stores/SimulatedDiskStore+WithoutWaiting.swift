import ReorderStore

// These do not let other threads run: the service calls those of tokens under a lock.

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

    func keep(trustedTime: Int64) throws(StoreError) {
        try reach()
        try store.keep(trustedTime: trustedTime)
    }
}
