import ReorderStore
import Synchronization

/// The tokens that were made over HTTP. The calls block until the store responds.
///
/// A change reads and writes only the tokens that it is about. All tokens are read at the start, and when changes of other
/// servers may have been missed.
final class StoredTokens: Sendable {
    private let store: any ListStore
    private let listener = Mutex<(@Sendable (TokenNews) -> Void)?>(nil)
    /// Locked from a read or a change of the store until its result is in effect: an earlier result must not replace a
    /// later one.
    private let turn = Mutex(())
    /// The tokens that are in effect. Locked only for a moment.
    private let index = Mutex(TokenIndex())

    init(_ store: any ListStore) { self.store = store }

    /// Reads the tokens, and calls `body` with them: now, and after each change.
    func follow(_ body: @escaping @Sendable (TokenNews) -> Void) throws(StoreError) {
        listener.withLock { $0 = body }
        try refresh()
    }

    /// Reads all tokens, if they are used.
    ///
    /// - Parameter isNeeded: whether to read them if they have this state now.
    func refresh(
        if isNeeded: (TokenState) throws(StoreError) -> Bool = { _ in true }
    ) throws(StoreError) {
        guard listener.withLock({ $0 != nil }) else { return }
        try turn.withLock { _ throws(StoreError) in
            guard try isNeeded(index.withLock(\.state)) else { return }
            let all = try store.tokens()
            index.withLock { index in
                index = TokenIndex()
                for token in all { index.insert(token.id, list: token.list) }
            }
            report(.all(all))
        }
    }

    /// Reads some tokens, if tokens are used.
    func refresh(_ ids: [String]) throws(StoreError) {
        guard !ids.isEmpty, listener.withLock({ $0 != nil }) else { return }
        try turn.withLock { _ throws(StoreError) in try read(ids) }
    }

    func find(_ query: TokenQuery) throws(StoreError) -> [StoredToken] { try store.tokens(query) }

    /// Changes the tokens after a decision.
    ///
    /// - Parameter ids: tokens that the decision depends on: as the store has them now, they are in effect before it.
    /// - Throws: `listNotFound` if the added token is of a list that does not exist.
    func change(_ ids: [String], _ decide: () throws -> TokenChange) throws {
        try turn.withLock { _ in
            if !ids.isEmpty { try read(ids) }
            let change = try decide()
            if !change.removed.isEmpty {
                try store.removeTokens(change.removed)
                take([], removed: change.removed)
            }
            guard let token = change.added else { return }
            guard try store.addToken(token) else {
                throw ServiceError.listNotFound(token.list ?? "")
            }
            take([token], removed: [])
        }
    }

    /// The ids of a list's links that are in effect.
    func links(to list: String) -> [String] { Array(index.withLock { $0.links(to: list) }) }

    private func read(_ ids: [String]) throws(StoreError) {
        let found = try store.tokens(.ids(ids))
        take(found, removed: Array(Set(ids).subtracting(found.map(\.id))))
    }

    private func take(_ tokens: [StoredToken], removed: [String]) {
        index.withLock { index in
            for id in removed { index.remove(id) }
            for token in tokens { index.insert(token.id, list: token.list) }
        }
        report(.some(tokens, removed: removed))
    }

    private func report(_ news: TokenNews) { listener.withLock(\.self)?(news) }
}

/// The tokens that a server must accept from now on.
package enum TokenNews: Sendable {
    /// These, and no others.
    case all([StoredToken])
    /// These too, and no longer those with the ids in `removed`. Some may be known already.
    case some([StoredToken], removed: [String])
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
