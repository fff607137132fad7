import ReorderEngine
import ReorderStore

extension ListService {
    /// A page of lists that are ordered by id.
    package struct IDPage<Entry: Sendable>: Sendable {
        package var lists: [Entry]
        /// The id after which the next page begins; nil for the last page.
        package var cursor: String?
    }

    package typealias Index = IDPage<IndexedList>

    /// The lists after an id, ordered by id, from the store.
    ///
    /// - Parameter runs: the ranges to read, in order; nil means all lists. Lists between the
    ///   ranges are not read: a page costs one query for each range.
    package func index(
        of runs: [ListIDRange]? = nil, after id: String?, limit: Int,
        _ done: @escaping Completion<Index>
    ) {
        durable.read(done) { [self] () throws(ServiceError) in
            try index(of: runs, after: id, limit: limit)
        }
    }

    /// Blocks until the store responds.
    package func index(
        of runs: [ListIDRange]?, after id: String?, limit: Int
    ) throws(ServiceError) -> Index {
        try page(of: runs, after: id, limit: limit, \.id) { id, limit throws(StoreError) in
            try store.summaries(after: id, limit: limit)
        }
    }

    /// Reads a page of lists.
    ///
    /// - Parameter read: returns at most a number of lists after an id.
    func page<Entry>(
        of runs: [ListIDRange]?, after id: String?, limit: Int, _ entryID: KeyPath<Entry, String>,
        _ read: (_ id: String?, _ limit: Int) throws(StoreError) -> [Entry]
    ) throws(ServiceError) -> IDPage<Entry> {
        var lists: [Entry] = []
        do {
            // Reads one more than fits, which shows whether another page exists.
            guard let runs else {
                lists = try read(id, limit + 1)
                let hasMore = lists.count > limit
                lists = Array(lists.prefix(limit))
                return IDPage(lists: lists, cursor: hasMore ? lists.last?[keyPath: entryID] : nil)
            }
            for run in runs {
                let page = try read(
                    max(run.after, id ?? ""), run.isOne ? 1 : limit + 1 - lists.count)
                lists += page.prefix { run.contains($0[keyPath: entryID]) }
                guard lists.count <= limit else {
                    lists.removeLast()
                    return IDPage(lists: lists, cursor: lists.last?[keyPath: entryID])
                }
            }
            return IDPage(lists: lists, cursor: nil)
        } catch {
            throw durable.failure(error, list: "index")
        }
    }
}
