import ReorderStore
import Synchronization

/// A memory store that fails while a test says so.
final class FailingStore: ListStore {
    private let memory = MemoryListStore()
    private let failure = Mutex<StoreError?>(nil)

    /// From now on every call throws this; `nil`: none does.
    func fail(_ error: StoreError?) { failure.withLock { $0 = error } }

    private func working() throws(StoreError) -> MemoryListStore {
        if let error = failure.withLock({ $0 }) { throw error }
        return memory
    }

    func load(_ list: String) throws(StoreError) -> StoredList? { try working().load(list) }

    func append(_ commits: [ListCommit]) throws(StoreError) { try working().append(commits) }

    func lists(holding tasks: [String]) throws(StoreError) -> [String: String] {
        try working().lists(holding: tasks)
    }

    func summaries(after list: String?, limit: Int) throws(StoreError) -> [ListSummary] {
        try working().summaries(after: list, limit: limit)
    }

    func changes(of list: String, after version: Int, limit: Int)
        throws(StoreError) -> [StoredChange]?
    {
        try working().changes(of: list, after: version, limit: limit)
    }

    func snapshots(of list: String) throws(StoreError) -> [StoredSnapshot] {
        try working().snapshots(of: list)
    }

    func forgetChanges(olderThan time: Int64, keepingLast: Int, limit: Int)
        throws(StoreError) -> Bool
    {
        try working().forgetChanges(olderThan: time, keepingLast: keepingLast, limit: limit)
    }

    func close() throws(StoreError) { try memory.close() }
}
