import ReorderStore
import Synchronization

/// Combines the lookups of many requests into one query to the store, on its own thread.
///
/// One query runs at a time. Lookups that arrive meanwhile share the next query. So each query
/// begins after the lookups that it serves, and its result is as fresh as they need.
final class BatchingLoader<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Lookup {
        var keys: [Key]
        var done: Completion<[Key: Value]>
    }

    private let query: @Sendable ([Key]) throws(StoreError) -> [Key: Value]
    private let failure: @Sendable (StoreError, Key?) -> ServiceError
    private let waiting = Mutex<[Lookup]>([])
    private let worker: any Worker

    /// - Parameters:
    ///   - failure: called once for a query that failed, with one of its keys. It returns the error
    ///     of the lookups.
    ///   - query: the query. It returns the values of the keys; keys without a value are absent.
    init(
        _ name: String, _ environment: ServiceEnvironment,
        failure: @escaping @Sendable (StoreError, Key?) -> ServiceError,
        _ query: @escaping @Sendable ([Key]) throws(StoreError) -> [Key: Value]
    ) {
        self.failure = failure
        self.query = query
        worker = environment.makeWorker(name, 1)
        worker.start(first: .whenWoken) { self.step() }
    }

    /// - Parameter done: gets the results of all lookups that share the query.
    func load(_ keys: [Key], _ done: @escaping Completion<[Key: Value]>) {
        let (isTaken, isFirst) = waiting.withLock { waiting in
            guard !worker.isStopping else { return (false, false) }
            waiting.append(Lookup(keys: keys, done: done))
            return (true, waiting.count == 1)
        }
        if isFirst { worker.wake() }
        if !isTaken { done(.failure(.unavailable)) }
    }

    /// The number of waiting lookups.
    var waitingCount: Int { waiting.withLock(\.count) }

    /// Completes the waiting lookups and stops the thread. Later lookups fail.
    func stop() { worker.stopAndJoin() }

    private func step() -> NextStep {
        // Read this before the queue. A lookup that arrives later is either taken below, or refused
        // because of the stop.
        let isStopping = worker.isStopping
        let waiting = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        if !waiting.isEmpty { answer(waiting) }
        return isStopping ? .end : .whenWoken
    }

    private func answer(_ waiting: [Lookup]) {
        let keys = waiting.count == 1 ? waiting[0].keys : Array(Set(waiting.flatMap(\.keys)))
        let result = Result { () throws(ServiceError) in
            do throws(StoreError) {
                return try query(keys)
            } catch {
                throw failure(error, keys.first)
            }
        }
        for lookup in waiting { lookup.done(result) }
    }
}
