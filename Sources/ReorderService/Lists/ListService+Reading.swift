import ReorderEngine
import ReorderStore

/// A list at a version. It never changes.
package struct VersionedList: Sendable {
    package var id: String
    package var version: Int
    package var list: ReorderableList
}

/// Lists with consecutive ids.
package struct ListIDRange: Sendable {
    /// A text that is less than all ids in the range. No other list has an id between this text and
    /// the range.
    package var after: String
    /// Whether the range has at most one list.
    package var isOne: Bool
    package var contains: @Sendable (_ list: String) -> Bool

    package init(
        after: String, isOne: Bool, contains: @escaping @Sendable (_ list: String) -> Bool
    ) {
        self.after = after
        self.isOne = isOne
        self.contains = contains
    }
}

extension ListService {
    /// Returns the current list. The response waits until all changes decided so far are durable.
    package func versionedList(
        of id: String, _ context: RequestContext
    ) throws(ServiceError) -> VersionedList {
        try decide(on: id, isRead: true, context) { lists throws(Interruption) in
            let list = lists.list
            guard list.state.exists else { throw .refused(.listNotFound(id)) }
            return VersionedList(id: id, version: list.state.version, list: list.state.list)
        }
    }

    /// A page of the index of all lists.
    package struct Index: Sendable {
        package var lists: [ListSummary]
        /// The id after which the next page begins; nil for the last page.
        package var cursor: String?
    }

    /// The lists after an id, ordered by id, from the store.
    ///
    /// - Parameter runs: the ranges to read, in order; nil means all lists. Lists between the
    ///   ranges are not read: a page costs one query for each range.
    package func index(
        of runs: [ListIDRange]? = nil, after id: String?, limit: Int, _ context: RequestContext
    ) throws(ServiceError) -> Index {
        if store.isImmediate { return try index(of: runs, after: id, limit: limit) }
        return try context.wait(for: \.index) { reply throws(ServiceError) in
            let isTaken = workers.run(.small) { [self] in
                reply.fill(
                    Result { () throws(ServiceError) in
                        try index(of: runs, after: id, limit: limit)
                    })
            }
            guard isTaken else { throw .unavailable }
        }
    }

    /// Blocks until the store responds.
    func index(
        of runs: [ListIDRange]?, after id: String?, limit: Int
    ) throws(ServiceError) -> Index {
        guard let runs else { return try index(after: id, limit: limit) }
        var lists: [ListSummary] = []
        for run in runs {
            // Reads one more than fits, which shows whether another page exists.
            let page = try index(
                after: max(run.after, id ?? ""), limit: run.isOne ? 1 : limit + 1 - lists.count)
            lists += page.lists.prefix { run.contains($0.id) }
            guard lists.count <= limit else {
                lists.removeLast()
                return Index(lists: lists, cursor: lists.last?.id)
            }
        }
        return Index(lists: lists, cursor: nil)
    }

    private func index(after id: String?, limit: Int) throws(ServiceError) -> Index {
        do {
            let lists = try store.summaries(after: id, limit: limit + 1)
            let page = Array(lists.prefix(limit))
            return Index(lists: page, cursor: lists.count > limit ? page.last?.id : nil)
        } catch {
            throw failure(error, list: "index")
        }
    }
}
