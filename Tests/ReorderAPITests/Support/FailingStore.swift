import Dispatch
import ReorderStore
import Synchronization

/// A memory store that fails on request.
final class FailingStore: ListStore {
    private let memory = MemoryListStore()
    private let failure = Mutex<StoreError?>(nil)
    private let pause = Mutex<Pause?>(nil)

    /// An `append` that waits until the test lets it continue.
    final class Pause: Sendable {
        fileprivate let arrived = DispatchSemaphore(value: 0)
        fileprivate let resumed = DispatchSemaphore(value: 0)

        /// Waits until the `append` is waiting. The time limit is long: it is reached only if the
        /// `append` is never called.
        func wait() -> Bool { arrived.wait(timeout: .now() + 60) == .success }

        func resume() { resumed.signal() }
    }

    /// Makes the next `append` wait.
    func pauseAppend() -> Pause {
        let next = Pause()
        pause.withLock { $0 = next }
        return next
    }

    /// From now on, every call throws this error; nil: none does.
    func fail(_ error: StoreError?) { failure.withLock { $0 = error } }

    private func working() throws(StoreError) -> MemoryListStore {
        if let error = failure.withLock({ $0 }) { throw error }
        return memory
    }

    func load(_ list: String) throws(StoreError) -> StoredList? { try working().load(list) }

    func append(_ commits: [ListCommit], responses: [StoredResponse]) throws(StoreError) {
        if let pause = pause.withLock({ $0.take() }) {
            pause.arrived.signal()
            pause.resumed.wait()
        }
        try working().append(commits, responses: responses)
    }

    func responses(to keys: [StoredResponseKey]) throws(StoreError) -> [StoredResponseKey:
        StoredResponse]
    {
        try working().responses(to: keys)
    }

    func removeResponses(expiredAt time: Int64, limit: Int) throws(StoreError) -> Bool {
        try working().removeResponses(expiredAt: time, limit: limit)
    }

    func lists(containing tasks: [String]) throws(StoreError) -> [String: String] {
        try working().lists(containing: tasks)
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

    func pruneChanges(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int, limit: Int
    ) throws(StoreError) -> Bool {
        try working().pruneChanges(
            olderThan: time, orFrom: future, keepingLast: keepingLast, limit: limit)
    }

    func close() throws(StoreError) { try memory.close() }
}
