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
    func changes(_ query: ChangesQuery) throws(StoreError) -> [StoredChange]? {
        try fitting(query.bytes, limit: query.limit, after: query.version) {
            last, limit throws(StoreError) in
            try changes(of: query.list, after: last, limit: limit)
        }
    }

    /// Reads at most `limit` changes and `bytes` bytes, but at least one change if there is one; nil if
    /// the first one is no longer stored.
    ///
    /// The store limits reads by number and not by bytes. So this reads a few changes first, and
    /// then the number of changes that is likely to fit.
    func fitting<Item: NumberedChange>(
        _ bytes: Int, limit: Int, after number: Int,
        _ read: (_ last: Int, _ limit: Int) throws(StoreError) -> [Item]?
    ) throws(StoreError) -> [Item]? {
        var found: [Item] = []
        var foundBytes = 0
        while found.count < limit, foundBytes < bytes {
            let guess = (bytes - foundBytes) * found.count / max(1, foundBytes) + 1
            // The next changes may be larger than these.
            let count = min(found.isEmpty ? 8 : min(guess, 8 * found.count), limit - found.count)
            guard let more = try read(found.last?.number ?? number, count)
            // The changes were pruned during the read. Return what was read; the next page reports
            // the gap.
            else { return found.isEmpty ? nil : found }
            found += more
            foundBytes += more.reduce(0) { $0 + $1.byteCount }
            if more.count < count { break }
        }
        return found.prefix(fitting: bytes)
    }
}
