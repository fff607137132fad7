import ReorderStore

extension ListService {
    /// Reads the tokens that were made over HTTP, and calls `body` with them: now, and after each change
    /// by this or another server. Blocks until the store responds.
    package func followTokens(
        _ body: @escaping @Sendable (TokenNews) -> Void
    ) throws(StoreError) {
        try tokens.follow(body)
    }

    /// Reads some of the tokens that were made over HTTP, in ascending order of their ids. Blocks, so workers call it.
    package func tokens(_ query: TokenQuery) throws(ServiceError) -> [StoredToken] {
        do throws(StoreError) {
            return try tokens.find(query)
        } catch {
            throw durable.failure(error, list: "?")
        }
    }

    /// Makes the deletion of a list, which removed its links from the store, take effect on this server.
    ///
    /// - Parameter done: called when this server no longer accepts them, on any thread.
    package func endLinks(to list: String, _ done: @escaping @Sendable () -> Void) {
        let links = tokens.links(to: list)
        guard !links.isEmpty else { return done() }
        let isTaken = workers.run(.tokens) { [tokens] in
            try? tokens.refresh(links)
            done()
        }
        if !isTaken { done() }
    }

    /// Changes the tokens after a decision. Blocks, so workers for tokens call it.
    ///
    /// - Parameters:
    ///   - ids: tokens that the decision depends on: as the store has them now, they are in effect before it.
    ///   - decide: its errors are rethrown. Then nothing is changed.
    package func changeTokens(
        after ids: [String] = [], _ decide: () throws -> TokenChange
    ) throws {
        do {
            try tokens.change(ids, decide)
        } catch let error as StoreError {
            // The writer ends the process after a failed sync.
            if case .lost = error { tryCommit() }
            throw durable.failure(error, list: "?")
        }
    }
}
