import ReorderStore

/// The changes of a list after a version: at most `limit` changes and `bytes` bytes, but at least one
/// change if there is one.
struct ChangesQuery: Hashable {
    var list: String
    var version: Int
    var limit: Int
    var bytes: Int
}

extension ListStore {
    /// Reads the changes of a list, oldest first; nil if a change after the version is no longer
    /// stored.
    ///
    /// The store limits reads by number and not by bytes. So this reads a few changes first, and
    /// then the number of changes that is likely to fit.
    func changes(_ query: ChangesQuery) throws(StoreError) -> [StoredChange]? {
        var found: [StoredChange] = []
        var bytes = 0
        while found.count < query.limit, bytes < query.bytes {
            let guess =
                found.isEmpty ? 8 : (query.bytes - bytes) * found.count / max(1, bytes) + 1
            let limit = min(guess, query.limit - found.count)
            let last = found.last?.version ?? query.version
            guard let more = try changes(of: query.list, after: last, limit: limit)
            // The changes were pruned during the read. Return what was read; the next page reports
            // the gap.
            else { return found.isEmpty ? nil : found }
            found += more
            bytes += more.reduce(0) { $0 + $1.bytes.count }
            if more.count < limit { break }
        }
        return found.prefix(fitting: query.bytes)
    }
}
