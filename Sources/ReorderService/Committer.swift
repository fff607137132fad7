import Foundation
import ReorderStore
import Synchronization

/// Makes decided versions durable: everything that waits goes into one `append`, so into one sync.
///
/// One thread of its own. Versions of a list arrive in order, because they are handed over under
/// the list's lock.
final class Committer: Sendable {
    struct Entry: Sendable {
        var commit: ListCommit
        var list: LoadedList
    }

    private struct Queue {
        var entries: [Entry] = []
        var isStopping = false
    }

    private let store: any ListStore
    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)

    init(store: any ListStore) {
        self.store = store
    }

    /// - Parameter completion: called on the committer's thread after each `append`, with all that it
    ///   held and the error that kept it from becoming durable, if any.
    func start(_ completion: @escaping @Sendable ([Entry], StoreError?) -> Void) {
        let thread = Thread { self.run(completion) }
        thread.name = "committer"
        thread.start()
    }

    /// Whether `stop` was called.
    var isStopping: Bool { queue.withLock(\.isStopping) }

    func enqueue(_ entry: Entry) {
        let isFirst = queue.withLock { queue in
            queue.entries.append(entry)
            return queue.entries.count == 1
        }
        if isFirst { wake.signal() }
    }

    /// Commits what still waits, and what that in turn lets others decide, then ends the thread.
    /// Nothing else may be enqueued any more.
    func stop() {
        queue.withLock { $0.isStopping = true }
        wake.signal()
        stopped.wait()
    }

    private func run(_ completion: @Sendable ([Entry], StoreError?) -> Void) {
        var isStopping = false
        while true {
            if !isStopping { wake.wait() }
            let entries: [Entry]
            (entries, isStopping) = queue.withLock { queue in
                defer { queue.entries = [] }
                return (queue.entries, queue.isStopping)
            }
            if isStopping, entries.isEmpty { break }
            // Versions of a retired list build on one that failed: they failed with it.
            let valid = entries.filter { !$0.list.isRetired }
            guard !valid.isEmpty else { continue }
            do {
                try store.append(valid.map(\.commit))
                completion(valid, nil)
            } catch {
                completion(valid, error)
            }
        }
        stopped.signal()
    }
}
