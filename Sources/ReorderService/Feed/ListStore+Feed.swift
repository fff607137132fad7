import ReorderStore

/// Pages of the feed from the store.
extension ListStore {
    /// Reads the changes after a position.
    ///
    /// - Parameter bytes: the maximum size of the changes, unless the first change alone is larger.
    func feedPage(
        after position: Int, bytes: Int, _ pieces: PieceSizes
    ) throws(StoreError) -> FeedPage {
        var entries: [JournalEntry] = []
        var byteCount = 0
        var isFull = false
        // The store limits reads by number and not by bytes. So this reads a few changes first, and
        // then as many as before.
        while entries.count < pieces.feedChanges, !isFull {
            let count = min(max(8, entries.count), pieces.feedChanges - entries.count)
            let after = entries.last?.position ?? position
            guard let more = try journal(after: after, limit: count) else {
                // The next page reports the gap.
                guard entries.isEmpty else { break }
                return try gap(after: position)
            }
            guard !more.isEmpty else { return .entries(entries, isLast: true, end: after) }
            for entry in more {
                byteCount += entry.change.bytes.count
                isFull = byteCount > bytes && !entries.isEmpty
                guard !isFull else { break }
                entries.append(entry)
            }
        }
        let last = try lastPosition()
        guard last - position <= pieces.feedDistance else { return try gap(after: position) }
        let end = entries.last?.position ?? position
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
