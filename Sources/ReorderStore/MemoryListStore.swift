import Synchronization

/// Lists in memory, for tests, demonstrations and disposable caches. Not durable.
///
/// The cost of `append`, `load`, `lists` and `changes` is proportional to the data that they
/// access. Creating or deleting a list also moves entries of the sorted index of ids, O(lists).
package final class MemoryListStore: ListStore {
    private let state: Mutex<MemoryLists>

    package let epoch: String

    /// Creates an empty store.
    ///
    /// - Parameter epoch: the name of its epoch.
    package init(epoch: String = StoreEpoch.makeName()) {
        self.epoch = epoch
        state = Mutex(MemoryLists())
    }

    package func load(_ list: String) throws(StoreError) -> LoadedList? {
        state.withLock { $0.load(list) }
    }

    package func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        beforeVisible()
        try state.withLock { lists throws(StoreError) in
            try lists.append(commits, responses: responses)
        }
    }

    package func responses(
        to keys: [StoredResponseKey]
    ) throws(StoreError) -> [StoredResponseKey: StoredResponse] {
        state.withLock { $0.responses.find(keys) }
    }

    package func removeResponses(expiredAt time: Int64, limit: Int) throws(StoreError) -> Bool {
        state.withLock { $0.responses.remove(expiredAt: time, limit: limit) }
    }

    package func lists(containing tasks: [String]) throws(StoreError) -> [String: String] {
        state.withLock { lists in
            var holders: [String: String] = [:]
            for task in tasks {
                holders[task] = lists.holders[task]
            }
            return holders
        }
    }

    package func summaries(after list: String?, limit: Int) throws(StoreError) -> [IndexedList] {
        state.withLock { $0.summaries(after: list, limit: limit) }
    }

    package func changes(of list: String, after version: Int, limit: Int)
        throws(StoreError) -> [StoredChange]?
    {
        state.withLock { $0.changes(of: list, after: version, limit: limit) }
    }

    package func prunedVersion(of list: String) throws(StoreError) -> Int {
        state.withLock { $0.prunedVersion(of: list) }
    }

    package func journal(
        after position: Int, limit: Int
    ) throws(StoreError) -> [JournalEntry]? {
        state.withLock { $0.entries(after: position, limit: limit) }
    }

    package func lastPosition() throws(StoreError) -> Int {
        state.withLock { $0.journal.lastPosition }
    }

    package func heads(after list: String?, limit: Int) throws(StoreError) -> [ListHead] {
        state.withLock { $0.heads(after: list, limit: limit) }
    }

    package func deletedLists(after list: String?, limit: Int) throws(StoreError) -> [BinEntry] {
        state.withLock { $0.deletedLists(after: list, limit: limit) }
    }

    package func deletedList(_ list: String, withContent: Bool) throws(StoreError) -> BinEntry? {
        state.withLock { $0.deletedList(list, withContent: withContent) }
    }

    package func pruneBin(deletedBefore time: Int64, limit: Int) throws(StoreError) -> Bool {
        state.withLock { $0.pruneBin(deletedBefore: time, limit: limit) }
    }

    package func snapshots(of list: String) throws(StoreError) -> [StoredSnapshot] {
        state.withLock { $0.snapshots(of: list) }
    }

    package func pruneChanges(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int, limit: Int
    ) throws(StoreError) -> Bool {
        state.withLock {
            $0.pruneChanges(
                olderThan: time, orFrom: future, keepingLast: keepingLast, limit: limit)
        }
    }

    package func tokens(_ query: TokenQuery) throws(StoreError) -> [StoredToken] {
        state.withLock { $0.tokens.find(query) }
    }

    package func addToken(_ token: StoredToken) throws(StoreError) -> Bool {
        try state.withLock { lists throws(StoreError) in try lists.add(token) }
    }

    package func removeTokens(_ ids: [String]) throws(StoreError) {
        state.withLock { $0.tokens.remove(ids) }
    }

    package func close() throws(StoreError) {}
}
