import Foundation
import Logging
import ReorderStore
import Synchronization

/// Reads changes from the store for clients that are behind, on its own thread, because event loops
/// must not wait for a disk.
///
/// It has one thread. If many clients reconnect at once, their pages are read one after another,
/// which limits the memory. A page that several clients need is read once.
final class HistoryReader: Sendable {
    struct Query: Hashable {
        var list: String
        var version: Int
        var limit: Int
        var bytes: Int
    }

    private struct Queue {
        var queries: [Query] = []
        var waiting: [Query: [Completion<[StoredChange]?>]] = [:]
    }

    private let store: any ListStore
    private let publication: Publication
    private let logger: Logger
    private let queue = Mutex(Queue())
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
    var waitingCount: Int { queue.withLock { max($0.queries.count, $0.waiting.count) } }

    /// - Parameter done: gets nil if a change is no longer stored.
    func load(_ query: Query, _ done: @escaping Completion<[StoredChange]?>) {
        let isTaken = queue.withLock { queue in
            guard !worker.isStopping else { return false }
            if queue.waiting[query] == nil { queue.queries.append(query) }
            queue.waiting[query, default: []].append(done)
            return true
        }
        if isTaken { worker.wake() } else { done(.failure(.unavailable)) }
    }

    private func step() -> NextStep {
        // Read this before the queue. A query that arrives later is either taken below, or refused
        // because of the stop.
        let isStopping = worker.isStopping
        let queries = queue.withLock { queue in
            defer { queue.queries = [] }
            return queue.queries
        }
        for query in queries {
            // They are removed before the read. A request that arrives during the read may
            // need a later change, so it must not get this result.
            let waiting = queue.withLock { $0.waiting.removeValue(forKey: query) } ?? []
            let result = Result { () throws(ServiceError) in
                do throws(StoreError) {
                    return try read(query)
                } catch {
                    throw ServiceError.of(
                        error, list: query.list, logger,
                        isShared: store is any SharedListStore)
                }
            }
            publication.whenPublished { for done in waiting { done(result) } }
        }
        return isStopping ? .end : .whenWoken
    }

    /// The store limits reads by number and not by bytes. So this reads a few changes first, and
    /// then the number of changes that is likely to fit.
    func read(_ query: Query) throws(StoreError) -> [StoredChange]? {
        var changes: [StoredChange] = []
        var bytes = 0
        while changes.count < query.limit, bytes < query.bytes {
            let guess =
                changes.isEmpty
                ? Self.firstGuess : (query.bytes - bytes) * changes.count / max(1, bytes) + 1
            let limit = min(guess, query.limit - changes.count)
            let last = changes.last?.version ?? query.version
            guard let more = try store.changes(of: query.list, after: last, limit: limit)
            // The changes were pruned during the read. Return what was read; the next page reports
            // the gap.
            else { return changes.isEmpty ? nil : changes }
            changes += more
            bytes += more.reduce(0) { $0 + $1.bytes.count }
            if more.count < limit { break }
        }
        return changes.prefix(fitting: query.bytes)
    }

    private static let firstGuess = 8
}
