/// The tokens of a `MemoryListStore`.
struct MemoryTokens {
    private var tokens: [String: StoredToken] = [:]
    private var index = TokenIndex()

    /// - Returns: false if another token has the id.
    mutating func add(_ token: StoredToken) -> Bool {
        guard tokens[token.id] ?? token == token else { return false }
        tokens[token.id] = token
        index.insert(token.id, list: token.list)
        return true
    }

    mutating func remove(_ ids: some Sequence<String>) {
        for id in ids {
            tokens[id] = nil
            index.remove(id)
        }
    }

    mutating func removeLinks(to list: String) { remove(index.links(to: list)) }

    func find(_ query: TokenQuery) -> [StoredToken] {
        switch query {
        case .page(let id, let limit):
            (id.map(index.ids(after:)) ?? index.ids[...]).prefix(limit).compactMap { tokens[$0] }
        case .ids(let ids): ids.sorted().compactMap { tokens[$0] }
        case .links(let list): index.links(to: list).sorted().compactMap { tokens[$0] }
        }
    }
}
