import ReorderEngine
import ReorderStore

/// A list as it was at a version: a value of its own.
package struct ListSnapshot: Sendable {
    package var id: String
    package var version: Int
    package var list: ReorderableList
}

/// Some lists that stand together in the order of ids.
package struct IndexRun: Sendable {
    /// Before all of their ids, and after all others that are.
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
    package func snapshot(of id: String, _ completion: @escaping Completion<ListSnapshot>) {
        decide(on: id, isRead: true, completion) { _, state in
            guard state.exists else { return .result(.failure(.listNotFound(id))) }
            let snapshot = ListSnapshot(id: id, version: state.version, list: state.list)
            return .result(.success(snapshot))
        }
    }

    /// A page of the index of all lists.
    package struct Index: Sendable {
        package var lists: [ListSummary]
        /// The id after which the next page begins; `nil` where this is the last one.
        package var cursor: String?
    }

    /// The lists after an id, in the order of their ids, as they are in the store.
    ///
    /// - Parameter runs: only these, in their order; what is between them is not read, so that a page
    ///   costs no more than its lists and a look for each run. `nil`: all lists.
    package func index(
        of runs: [IndexRun]? = nil, after id: String?, limit: Int,
        _ completion: @escaping Completion<Index>
    ) {
        let answer = { @Sendable [self] in
            completion(
                Result { () throws(ServiceError) in
                    guard let runs else { return try index(after: id, limit: limit) }
                    return try index(of: runs, after: id, limit: limit)
                })
        }
        if store.isImmediate { return answer() }
        if !workers.run(.small, answer) { completion(.failure(.unavailable)) }
    }

    private func index(
        of runs: [IndexRun], after id: String?, limit: Int
    ) throws(ServiceError) -> Index {
        var lists: [ListSummary] = []
        for run in runs {
            // One more than there is room for tells whether there is another page.
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
