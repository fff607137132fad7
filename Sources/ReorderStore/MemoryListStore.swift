import Synchronization

/// Lists in memory: for tests, demonstrations and caches that may be lost. Survives nothing.
///
/// `append`, `load`, `lists` and `changes` cost what they touch; making or deleting a list moves
/// the sorted index of ids, O(lists) of memory moved.
package final class MemoryListStore: ListStore {
    private let state: Mutex<MemoryLists>

    /// - Parameter keptChanges: for each list at least so many of its last changes stay for
    ///   `changes`, at most about twice as many; those after the snapshot stay in any case.
    package init(keptChanges: Int = 10_000) {
        state = Mutex(MemoryLists(keptChanges: max(0, keptChanges)))
    }

    package func load(_ list: String) throws(StoreError) -> StoredList? {
        state.withLock { $0.load(list) }
    }

    package func append(_ commits: [ListCommit]) throws(StoreError) {
        try state.withLock { lists throws(StoreError) in try lists.append(commits) }
    }

    package func lists(holding tasks: [String]) throws(StoreError) -> [String: String] {
        state.withLock { lists in
            var holders: [String: String] = [:]
            for task in tasks {
                holders[task] = lists.holders[task]
            }
            return holders
        }
    }

    package func summaries(after list: String?, limit: Int) throws(StoreError) -> [ListSummary] {
        state.withLock { $0.summaries(after: list, limit: limit) }
    }

    package func changes(of list: String, after version: Int, limit: Int)
        throws(StoreError) -> [StoredChange]?
    {
        state.withLock { $0.changes(of: list, after: version, limit: limit) }
    }

    package func close() throws(StoreError) {}
}
