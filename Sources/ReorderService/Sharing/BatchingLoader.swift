import Dispatch
import Foundation
import Logging
import ReorderStore
import Synchronization

/// Combines the lookups of many requests into one query to the store, on its own thread.
///
/// One query runs at a time. Lookups that arrive meanwhile share the next query. So each query
/// begins after the lookups that it serves, and its result is as fresh as they need.
final class BatchingLoader<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Queue {
        var waiting: [(keys: [Key], reply: Reply<[Key: Value]>)] = []
        var isStopping = false
    }

    private let question: @Sendable ([Key]) throws(StoreError) -> [Key: Value]
    private let logger: Logger
    /// Whether the keys are ids of lists, which the log can name.
    private let isOfLists: Bool
    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)

    /// - Parameter question: the query. It returns the values of the keys; keys without a value are
    ///   absent.
    init(
        _ name: String, _ logger: Logger, isOfLists: Bool = false,
        _ question: @escaping @Sendable ([Key]) throws(StoreError) -> [Key: Value]
    ) {
        self.question = question
        self.logger = logger
        self.isOfLists = isOfLists
        let thread = Thread { self.run() }
        thread.name = name
        thread.start()
    }

    /// - Parameter reply: receives the results of all lookups that share the query.
    func ask(_ keys: [Key], _ reply: Reply<[Key: Value]>) {
        let (isTaken, isFirst) = queue.withLock { queue in
            guard !queue.isStopping else { return (false, false) }
            queue.waiting.append((keys, reply))
            return (true, queue.waiting.count == 1)
        }
        if isFirst { wake.signal() }
        if !isTaken { reply.fill(.failure(.unavailable)) }
    }

    /// Completes the waiting lookups and stops the thread. Later lookups fail.
    func stop() {
        queue.withLock { $0.isStopping = true }
        wake.signal()
        stopped.wait()
    }

    private func run() {
        var isStopping = false
        while !isStopping {
            wake.wait()
            let waiting = queue.withLock { queue in
                isStopping = queue.isStopping
                defer { queue.waiting = [] }
                return queue.waiting
            }
            guard !waiting.isEmpty else { continue }
            let keys = waiting.count == 1 ? waiting[0].keys : Array(Set(waiting.flatMap(\.keys)))
            let result = Result { () throws(ServiceError) in
                do throws(StoreError) {
                    return try question(keys)
                } catch {
                    let list = isOfLists ? keys.first.map { "\($0)" } : nil
                    throw ListService.error(error, of: list ?? "?", logger, isShared: true)
                }
            }
            for (_, reply) in waiting { reply.fill(result) }
        }
        stopped.signal()
    }
}
