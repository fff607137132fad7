import DequeModule
import Logging
import ReorderStore
import Synchronization

/// Reads the store for the feed and for clients that are behind, on its own thread, because event
/// loops must not wait for a disk.
///
/// It has one thread. If many clients reconnect at once, their pages are read one after another,
/// which limits the memory. A page that several clients need is read once.
final class HistoryReader: Sendable {
    private let store: any ListStore
    private let publication: Publication
    private let logger: Logger
    private let reads = Mutex<Deque<@Sendable () -> Void>>([])
    private let worker: any Worker

    init(
        store: any ListStore, _ publication: Publication, logger: Logger,
        _ environment: ServiceEnvironment
    ) {
        self.store = store
        self.publication = publication
        self.logger = logger
        worker = environment.makeWorker("history", 1)
    }

    func start() { worker.start(first: .whenWoken) { self.step() } }

    /// Completes the waiting reads and stops the thread. Later reads fail.
    func stop() { worker.stopAndJoin() }

    /// The number of reads that wait.
    var waitingCount: Int { reads.withLock(\.count) }

    /// Reads from the store, after the reads that wait already.
    ///
    /// - Parameters:
    ///   - list: the list that is read, for the log.
    ///   - done: gets the result when all of it is published.
    func read<Value: Sendable>(
        of list: String = "?", _ done: @escaping Completion<Value>,
        _ body: @escaping @Sendable (any ListStore) throws(StoreError) -> Value
    ) {
        enqueue(list, for: { [done] }, body)
    }

    /// Reads from the store once for all requests with the same query that wait.
    func read<Query, Value>(
        _ query: Query, in queries: Coalescer<Query, Value>, of list: String = "?",
        _ done: @escaping Completion<Value>,
        _ body: @escaping @Sendable (any ListStore) throws(StoreError) -> Value
    ) {
        guard queries.join(query, done) != nil else { return }
        enqueue(list, for: { queries.take(query) }, body)
    }

    private func enqueue<Value: Sendable>(
        _ list: String, for takeWaiting: @escaping @Sendable () -> [Completion<Value>],
        _ body: @escaping @Sendable (any ListStore) throws(StoreError) -> Value
    ) {
        let read = { @Sendable [self] in
            // They are taken before the read. A request that arrives during the read may need a
            // later change, so it must not get this result.
            let waiting = takeWaiting()
            let result = result(of: body, list)
            publication.whenPublished { for done in waiting { done(result) } }
        }
        let isTaken = reads.withLock { reads in
            guard !worker.isStopping else { return false }
            reads.append(read)
            return true
        }
        if isTaken { return worker.wake() }
        for done in takeWaiting() { done(.failure(.unavailable)) }
    }

    private func result<Value>(
        of body: (any ListStore) throws(StoreError) -> Value, _ list: String
    ) -> Result<Value, ServiceError> {
        do throws(StoreError) {
            return .success(try body(store))
        } catch {
            return .failure(
                ServiceError.of(error, list: list, logger, isShared: store is any SharedListStore))
        }
    }

    private func step() -> NextStep {
        // Read this before the queue. A read that arrives later is either taken below, or refused
        // because of the stop.
        let isStopping = worker.isStopping
        while let read = reads.withLock({ $0.popFirst() }) { read() }
        return isStopping ? .end : .whenWoken
    }
}
