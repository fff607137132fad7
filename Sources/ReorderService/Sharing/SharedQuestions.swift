import Dispatch
import Foundation
import ReorderStore
import Synchronization

/// Asks a store the same of many at once, on a thread of its own.
///
/// One question is on its way at a time; whoever comes meanwhile shares the next one. So a question
/// begins after each of those who share it has asked, and what it finds is as new as they need.
final class SharedQuestions<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Answer = @Sendable (Result<[Key: Value], StoreError>) -> Void

    private struct Queue {
        var waiting: [(keys: [Key], answer: Answer)] = []
        var isStopping = false
    }

    private let question: @Sendable ([Key]) throws(StoreError) -> [Key: Value]
    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)

    /// - Parameter question: gives what is known of keys; those of which nothing is are absent.
    init(
        _ name: String,
        _ question: @escaping @Sendable ([Key]) throws(StoreError) -> [Key: Value]
    ) {
        self.question = question
        let thread = Thread { self.run() }
        thread.name = name
        thread.start()
    }

    /// - Parameter answer: called once, on the thread of the questions, with what was found of all who
    ///   shared one: it must be quick.
    func ask(_ keys: [Key], _ answer: @escaping Answer) {
        let (isTaken, isFirst) = queue.withLock { queue in
            guard !queue.isStopping else { return (false, false) }
            queue.waiting.append((keys, answer))
            return (true, queue.waiting.count == 1)
        }
        if isFirst { wake.signal() }
        if !isTaken { answer(.failure(.unavailable(reason: "the service is stopping"))) }
    }

    /// Answers what waits and ends the thread. What is asked later is refused.
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
            let result = Result { () throws(StoreError) in try question(keys) }
            for (_, answer) in waiting { answer(result) }
        }
        stopped.signal()
    }
}
