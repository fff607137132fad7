import ReorderEngine
import ReorderStore

/// A list as it was at a version: a value of its own.
package struct ListSnapshot: Sendable {
    package var id: String
    package var version: Int
    package var list: ReorderableList
}

extension ListService {
    /// The list as it is once all that is decided by now is durable.
    package func snapshot(of id: String, _ completion: @escaping Completion<ListSnapshot>) {
        decide(on: id, completion) { _, state in
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
    package func index(
        after id: String?, limit: Int, _ completion: @escaping Completion<Index>
    ) {
        let answer = { @Sendable [self] in
            completion(Result { () throws(ServiceError) in try index(after: id, limit: limit) })
        }
        if let sharing { sharing.workers.run(answer) } else { answer() }
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
