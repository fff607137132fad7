import ReorderEngine
import ReorderStore

/// A list as it was at a version: a value of its own.
package struct ListSnapshot: Sendable {
    package var id: String
    package var version: Int
    package var list: ReorderableList
}

/// Lists that follow one another in the order of ids.
package struct ListIDRange: Sendable {
    /// Before all of their ids, and after all smaller ids of other lists.
    package var after: String
    /// Whether there is at most one.
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
    /// The list as it is once all that is decided by now is durable.
    package func snapshot(
        of id: String, _ context: RequestContext
    ) throws(ServiceError) -> ListSnapshot {
        try decide(on: id, isRead: true, context) { lists throws(Interruption) in
            let list = lists.list
            guard list.state.exists else { throw .refused(.listNotFound(id)) }
            return ListSnapshot(id: id, version: list.state.version, list: list.state.list)
        }
    }

    /// A page of the index of all lists.
    package struct Index: Sendable {
        package var lists: [ListSummary]
        /// The id after which the next page begins; nil if this is the last one.
        package var cursor: String?
    }

    /// The lists after an id, in the order of their ids, as they are in the store.
    ///
    /// - Parameter runs: only these, in their order; what is between them is not read, so that a page
    ///   costs no more than its lists and one query for each run. nil: all lists.
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

    private func index(
        of runs: [ListIDRange]?, after id: String?, limit: Int
    ) throws(ServiceError) -> Index {
        guard let runs else { return try index(after: id, limit: limit) }
        var lists: [ListSummary] = []
        for run in runs {
            // One more than there is room for shows whether there is another page.
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
