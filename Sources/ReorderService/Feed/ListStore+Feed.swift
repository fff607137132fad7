import ReorderStore

/// Pages of the feed from the store.
extension ListStore {
    /// Reads the changes after a position.
    ///
    /// - Parameter bytes: the maximum size of the changes, unless the first change alone is larger.
    func feedPage(
        after position: Int, bytes: Int, _ pieces: PieceSizes
    ) throws(StoreError) -> FeedPage {
        let found = try fitting(bytes, limit: pieces.feedChanges, after: position) {
            last, limit throws(StoreError) in try journal(after: last, limit: limit)
        }
        guard let entries = found else { return try gap(after: position) }
        guard let end = entries.last?.position else {
            return .entries([], isLast: true, end: position)
        }
        let last = try lastPosition()
        guard last - position <= pieces.feedDistance else { return try gap(after: position) }
        return .entries(entries, isLast: end == last, end: end)
    }

    private func gap(after position: Int) throws(StoreError) -> FeedPage {
        let last = try lastPosition()
        return .gap(from: position > last ? 0 : position + 1, end: last)
    }

    /// The lists after an id, and their last positions.
    ///
    /// - Parameter ranges: the lists to read, in order; nil means all lists.
    func heads(
        of ranges: [ListIDRange]?, after list: String?, limit: Int
    ) throws(StoreError) -> FeedHeads {
        guard let ranges else {
            let heads = try heads(after: list, limit: limit)
            return FeedHeads(heads: heads, cursor: heads.count == limit ? heads.last?.list : nil)
        }
        var found: [ListHead] = []
        for range in ranges {
            let room = limit - found.count
            guard room > 0 else { break }
            let page = try heads(
                after: max(range.after, list ?? ""), limit: range.isOne ? 1 : room)
            found += page.prefix { range.contains($0.list) }
        }
        return FeedHeads(heads: found, cursor: found.count >= limit ? found.last?.list : nil)
    }
}
