import Dispatch
import ReorderStore
import Synchronization

/// A memory store whose `append` waits for a test to say what becomes of it.
final class GatedStore: ListStore {
    struct NoAppend: Error {}

    let memory = MemoryListStore()
    let isImmediate: Bool
    private let isGated = Atomic<Bool>(false)
    private let batches = Mutex<[(commits: [ListCommit], answers: [StoredAnswer])]>([])
    private let verdicts = Mutex<[StoreError?]>([])
    private let arrived = DispatchSemaphore(value: 0)
    private let decided = DispatchSemaphore(value: 0)

    /// - Parameter isImmediate: what it says of itself, true or not.
    init(isImmediate: Bool = false) { self.isImmediate = isImmediate }

    /// From now on each `append` waits for `pass` or `fail`.
    func hold() { isGated.store(true, ordering: .sequentiallyConsistent) }

    /// From now on each `append` writes at once.
    func open() { isGated.store(false, ordering: .sequentiallyConsistent) }

    /// Waits until an `append` waits, and tells what it is to write.
    func nextBatch() throws -> [ListCommit] { try nextAppend().commits }

    /// The same, with the answers.
    func nextAppend() throws -> (commits: [ListCommit], answers: [StoredAnswer]) {
        // Long, so that only an append that never comes meets it.
        guard arrived.wait(timeout: .now() + 60) == .success else { throw NoAppend() }
        return batches.withLock { $0.removeFirst() }
    }

    /// Lets the waiting `append` write.
    func pass() { decide(nil) }

    /// Has the waiting `append` write nothing and throw.
    func fail(_ error: StoreError = .unavailable(reason: "a full disk")) { decide(error) }

    private func decide(_ error: StoreError?) {
        verdicts.withLock { $0.append(error) }
        decided.signal()
    }

    func append(_ commits: [ListCommit], answers: [StoredAnswer]) throws(StoreError) {
        if isGated.load(ordering: .sequentiallyConsistent) {
            batches.withLock { $0.append((commits, answers)) }
            arrived.signal()
            decided.wait()
            if let error = verdicts.withLock({ $0.removeFirst() }) { throw error }
        }
        try memory.append(commits, answers: answers)
    }

    func answers(to keys: [AnswerKey]) throws(StoreError) -> [AnswerKey: StoredAnswer] {
        try memory.answers(to: keys)
    }

    func removeAnswers(expiredAt time: Int64, limit: Int) throws(StoreError) -> Bool {
        try memory.removeAnswers(expiredAt: time, limit: limit)
    }

    func load(_ list: String) throws(StoreError) -> StoredList? { try memory.load(list) }

    func lists(holding tasks: [String]) throws(StoreError) -> [String: String] {
        try memory.lists(holding: tasks)
    }

    func summaries(after list: String?, limit: Int) throws(StoreError) -> [ListSummary] {
        try memory.summaries(after: list, limit: limit)
    }

    func changes(of list: String, after version: Int, limit: Int)
        throws(StoreError) -> [StoredChange]?
    {
        try memory.changes(of: list, after: version, limit: limit)
    }

    func snapshots(of list: String) throws(StoreError) -> [StoredSnapshot] {
        try memory.snapshots(of: list)
    }

    func forgetChanges(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int, limit: Int
    ) throws(StoreError) -> Bool {
        try memory.forgetChanges(
            olderThan: time, orFrom: future, keepingLast: keepingLast, limit: limit)
    }

    func close() throws(StoreError) { try memory.close() }
}
