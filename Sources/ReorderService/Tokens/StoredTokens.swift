import ReorderStore
import Synchronization

/// The tokens that were made over HTTP. The calls block until the store responds.
final class StoredTokens: Sendable {
    private let store: any ListStore
    private let listener = Mutex<(@Sendable ([StoredToken]) -> Void)?>(nil)
    /// The tokens of the last read. Locked from a read of the store until its result is in effect: an
    /// earlier result must not replace a later one.
    private let tokens = Mutex<[StoredToken]?>(nil)

    init(_ store: any ListStore) { self.store = store }

    /// Reads the tokens, and calls `body` with them: now, and whenever a read finds others.
    func follow(_ body: @escaping @Sendable ([StoredToken]) -> Void) throws(StoreError) {
        listener.withLock { $0 = body }
        try refresh()
    }

    /// Reads the tokens, if they are used.
    func refresh() throws(StoreError) {
        guard listener.withLock({ $0 != nil }) else { return }
        try tokens.withLock { tokens throws(StoreError) in try read(&tokens) }
    }

    /// Reads the tokens.
    func current() throws(StoreError) -> [StoredToken] {
        try tokens.withLock { tokens throws(StoreError) in
            try read(&tokens)
            return tokens ?? []
        }
    }

    /// Changes the tokens, after a decision about those that the store has now.
    ///
    /// - Throws: `listNotFound` if the added token is of a list that does not exist.
    func change(_ decide: ([StoredToken]) throws -> TokenChange) throws {
        try tokens.withLock { tokens in
            // The decision also needs this to be in effect: the client's own token may be gone.
            try read(&tokens)
            let change = try decide(tokens ?? [])
            if !change.removed.isEmpty { try store.removeTokens(change.removed) }
            if let token = change.added, try !store.addToken(token) {
                throw ServiceError.listNotFound(token.list ?? "")
            }
            try read(&tokens)
        }
    }

    /// Whether a list had links at the last read.
    func includeLinks(to list: String) -> Bool {
        tokens.withLock { $0?.contains { $0.list == list } ?? false }
    }

    private func read(_ tokens: inout [StoredToken]?) throws(StoreError) {
        let new = try store.tokens()
        guard tokens != new else { return }
        tokens = new
        listener.withLock(\.self)?(new)
    }
}

/// A change of the tokens that were made over HTTP.
package struct TokenChange: Sendable {
    /// The ids of tokens.
    package var removed: [String]
    package var added: StoredToken?

    package init(removed: [String] = [], added: StoredToken? = nil) {
        self.removed = removed
        self.added = added
    }
}

extension ListService {
    /// Reads the tokens that were made over HTTP, and calls `body` with them: now, and after each change
    /// by this or another server. Blocks until the store responds.
    package func followTokens(
        _ body: @escaping @Sendable ([StoredToken]) -> Void
    ) throws(StoreError) {
        try tokens.follow(body)
    }

    /// The tokens that were made over HTTP, in ascending order of their ids. Blocks, so workers call it.
    package func currentTokens() throws(ServiceError) -> [StoredToken] {
        do throws(StoreError) {
            return try tokens.current()
        } catch {
            throw durable.failure(error, list: "?")
        }
    }

    /// Makes the deletion of a list, which removed its links from the store, take effect on this server.
    /// Blocks, so workers call it.
    package func endLinks(to list: String) throws(ServiceError) {
        guard tokens.includeLinks(to: list) else { return }
        do throws(StoreError) {
            try tokens.refresh()
        } catch {
            throw durable.failure(error, list: list)
        }
    }

    /// Changes the tokens, after a decision about those that the store has now. Blocks, so workers
    /// call it.
    ///
    /// - Parameter decide: its errors are rethrown. Then nothing is changed.
    package func changeTokens(_ decide: ([StoredToken]) throws -> TokenChange) throws {
        do {
            try tokens.change(decide)
        } catch let error as StoreError {
            // The writer ends the process after a failed sync.
            if case .lost = error { tryCommit() }
            throw durable.failure(error, list: "?")
        }
    }
}
