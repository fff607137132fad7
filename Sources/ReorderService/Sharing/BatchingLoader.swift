import Dispatch
import Foundation
import Logging
import ReorderStore
import Synchronization

/// Asks a store the same question for many requests at once, on a thread of its own.
///
/// One question is asked at a time; requests that come meanwhile share the next one. So a question begins
/// after each request that shares it has come, and what it finds is as new as they need.
final class BatchingLoader<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Queue {
        var waiting: [(keys: [Key], reply: Reply<[Key: Value]>)] = []
        var isStopping = false
    }

    private let question: @Sendable ([Key]) throws(StoreError) -> [Key: Value]
    private let logger: Logger
    /// Whether a key is the id of a list, so that the log may name it.
    private let isOfLists: Bool
    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)

    /// - Parameter question: returns what is known of keys; keys of which nothing is known are absent.
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

    /// - Parameter reply: gets what was found for all requests that share the question.
    func ask(_ keys: [Key], _ reply: Reply<[Key: Value]>) {
        let (isTaken, isFirst) = queue.withLock { queue in
            guard !queue.isStopping else { return (false, false) }
            queue.waiting.append((keys, reply))
            return (true, queue.waiting.count == 1)
        }
        if isFirst { wake.signal() }
        if !isTaken { reply.fill(.failure(.unavailable)) }
    }

    /// Answers what waits and ends the thread. Later questions are refused.
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
