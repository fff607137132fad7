import Foundation
import Logging
import ReorderStore
import Synchronization

/// Reads changes from the store for clients that are behind, on its own thread, because event loops
/// must not wait for a disk.
///
/// It has one thread: if many clients reconnect at once, their pages are read one after the other,
/// and each page that several clients need is read once. So only one page is in memory.
final class HistoryReader: Sendable {
    struct Question: Hashable {
        var list: String
        var version: Int
        var limit: Int
        var bytes: Int
    }

    private struct Queue {
        var questions: [Question] = []
        var replies: [Question: [Reply<[StoredChange]?>]] = [:]
    }

    private let store: any ListStore
    private let logger: Logger
    private let queue = Mutex(Queue())
    private let thread = BackgroundThread("history")

    init(store: any ListStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    func start() { thread.start { self.run() } }

    /// Completes the waiting reads and stops the thread. Later reads fail.
    func stop() { thread.stop() }

    /// - Parameter reply: receives nil if a change is no longer stored.
    func ask(_ question: Question, _ reply: Reply<[StoredChange]?>) {
        let isTaken = queue.withLock { queue in
            guard !thread.isStopping else { return false }
            if queue.replies[question] == nil { queue.questions.append(question) }
            queue.replies[question, default: []].append(reply)
            return true
        }
        if isTaken { thread.wake() } else { reply.fill(.failure(.unavailable)) }
    }

    private func run() {
        var isStopping = false
        while !isStopping {
            thread.sleep()
            // Read first: what is asked after that is refused, or was taken here.
            isStopping = thread.isStopping
            let questions = queue.withLock { queue in
                defer { queue.questions = [] }
                return queue.questions
            }
            for question in questions {
                // Removed before the read, because a request that arrives later may need a later
                // change.
                let replies = queue.withLock { $0.replies.removeValue(forKey: question) } ?? []
                let result = Result { () throws(ServiceError) in
                    do throws(StoreError) {
                        return try read(question)
                    } catch {
                        throw ListService.error(
                            error, of: question.list, logger,
                            isShared: store is any SharedListStore)
                    }
                }
                for reply in replies { reply.fill(result) }
            }
        }
    }

    /// The store limits reads by number and not by bytes. So this reads a few changes first, then
    /// as many as are likely to fit.
    private func read(_ question: Question) throws(StoreError) -> [StoredChange]? {
        var changes: [StoredChange] = []
        var bytes = 0
        while changes.count < question.limit, bytes < question.bytes {
            let guess =
                changes.isEmpty
                ? Self.firstGuess : (question.bytes - bytes) * changes.count / max(1, bytes) + 1
            let limit = min(guess, question.limit - changes.count)
            let last = changes.last?.version ?? question.version
            guard let more = try store.changes(of: question.list, after: last, limit: limit)
            // The changes were pruned during the read. Return what was read; the next page reports
            // the gap.
            else { return changes.isEmpty ? nil : changes }
            changes += more
            bytes += more.reduce(0) { $0 + $1.bytes.count }
            if more.count < limit { break }
        }
        return changes.prefix(fitting: question.bytes)
    }

    private static let firstGuess = 8
}
