import Foundation
import ReorderStore
import Synchronization

/// Reads changes from the store for those who are behind, on a thread of its own: whoever asks is an
/// event loop, which must not wait for a disk.
///
/// One thread, so that many who come back at once read one after the other, and those who ask the
/// same read once. What it holds in memory is one page.
final class HistoryReader: Sendable {
    typealias Answer = @Sendable (Result<[StoredChange]?, StoreError>) -> Void

    struct Question: Hashable {
        var list: String
        var version: Int
        var limit: Int
        var bytes: Int
    }

    private struct Queue {
        var questions: [Question] = []
        var answers: [Question: [Answer]] = [:]
        var isStopping = false
    }

    private let store: any ListStore
    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)

    init(store: any ListStore) {
        self.store = store
    }

    func start() {
        let thread = Thread { self.run() }
        thread.name = "history"
        thread.start()
    }

    /// Answers what waits and ends the thread. What is asked later is refused.
    func stop() {
        queue.withLock { $0.isStopping = true }
        wake.signal()
        stopped.wait()
    }

    /// - Parameter answer: called on the reader's thread; `nil` where a change is no longer kept.
    func ask(_ question: Question, _ answer: @escaping Answer) {
        let isTaken = queue.withLock { queue in
            guard !queue.isStopping else { return false }
            if queue.answers[question] == nil { queue.questions.append(question) }
            queue.answers[question, default: []].append(answer)
            return true
        }
        if isTaken {
            wake.signal()
        } else {
            answer(.failure(.unavailable(reason: "the service is stopping")))
        }
    }

    private func run() {
        while true {
            wake.wait()
            let (questions, isStopping) = queue.withLock { queue in
                defer { queue.questions = [] }
                return (queue.questions, queue.isStopping)
            }
            for question in questions {
                // Taken here: who asks from now on may know of a later change.
                let answers = queue.withLock { $0.answers.removeValue(forKey: question) } ?? []
                let result = Result { () throws(StoreError) in try read(question) }
                for answer in answers { answer(result) }
            }
            if isStopping, questions.isEmpty { break }
            if isStopping { wake.signal() }
        }
        stopped.signal()
    }

    /// A store counts changes, not bytes: so a few are read at first, then as many as seem to fit.
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
            // What is gone by now was there a moment ago: the rest of the page is the next one.
            else { return changes.isEmpty ? nil : changes }
            changes += more
            bytes += more.reduce(0) { $0 + $1.bytes.count }
            if more.count < limit { break }
        }
        return changes.prefix(fitting: question.bytes)
    }

    private static let firstGuess = 8
}
