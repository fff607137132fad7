import Logging
import ReorderStore
import Synchronization

/// Combines the lookups of many requests into one query to the store, on its own thread.
///
/// One query runs at a time. Lookups that arrive meanwhile share the next query. So each query
/// begins after the lookups that it serves, and its result is as fresh as they need.
final class BatchingLoader<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Query {
        var keys: [Key]
        var reply: Reply<[Key: Value]>
    }

    private let query: @Sendable ([Key]) throws(StoreError) -> [Key: Value]
    private let logger: Logger
    /// Whether the keys are ids of lists, which the log can name.
    private let isOfLists: Bool
    private let waiting = Mutex<[Query]>([])
    private let worker: any Worker

    /// - Parameter query: the query. It returns the values of the keys; keys without a value are
    ///   absent.
    init(
        _ name: String, _ logger: Logger, _ environment: ServiceEnvironment,
        isOfLists: Bool = false,
        _ query: @escaping @Sendable ([Key]) throws(StoreError) -> [Key: Value]
    ) {
        self.query = query
        self.logger = logger
        self.isOfLists = isOfLists
        worker = environment.makeWorker(name, 1)
        worker.start(first: .whenWoken) { self.step() }
    }

    /// - Parameter reply: receives the results of all lookups that share the query.
    func load(_ keys: [Key], _ reply: Reply<[Key: Value]>) {
        let (isTaken, isFirst) = waiting.withLock { waiting in
            guard !worker.isStopping else { return (false, false) }
            waiting.append(Query(keys: keys, reply: reply))
            return (true, waiting.count == 1)
        }
        if isFirst { worker.wake() }
        if !isTaken { reply.fill(.failure(.unavailable)) }
    }

    /// The number of waiting lookups.
    var waitingCount: Int { waiting.withLock(\.count) }

    /// Completes the waiting lookups and stops the thread. Later lookups fail.
    func stop() { worker.stopAndJoin() }

    private func step() -> NextStep {
        // Read this before the queue. A query that arrives later is either taken below, or refused
        // because of the stop.
        let isStopping = worker.isStopping
        let waiting = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        if !waiting.isEmpty { answer(waiting) }
        return isStopping ? .end : .whenWoken
    }

    private func answer(_ waiting: [Query]) {
        let keys = waiting.count == 1 ? waiting[0].keys : Array(Set(waiting.flatMap(\.keys)))
        let result = Result { () throws(ServiceError) in
            do throws(StoreError) {
                return try query(keys)
            } catch {
                let list = isOfLists ? keys.first.map { "\($0)" } : nil
                throw ListService.error(error, of: list ?? "?", logger, isShared: true)
            }
        }
        for query in waiting { query.reply.fill(result) }
    }
}
