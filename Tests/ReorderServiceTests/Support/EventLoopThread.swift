import Dispatch
import ReorderStore
import Testing

@testable import ReorderService

/// A thread that acts as an event loop: a request waits until the earlier requests have returned.
/// If a request blocks the thread, no later request completes.
struct EventLoopThread {
    private let queue = DispatchQueue(label: "event loop")
    let service: ListService

    func ask(_ request: WriteRequest) -> Pending<WriteResult> {
        run { $0.answer(request, $1) }
    }

    func read(_ list: String) -> Pending<VersionedList> {
        run { $0.versionedList(of: list, $1) }
    }

    func run<Value: Sendable>(
        _ begin: @escaping @Sendable (ListService, @escaping Completion<Value>) -> Void
    ) -> Pending<Value> {
        let pending = Pending<Value>()
        queue.async { [service] in begin(service) { pending.give($0) } }
        return pending
    }
}

/// Work that occupies all worker threads for one size of work, until it is released.
final class BusyWorkers: Sendable {
    private let passed = DispatchSemaphore(value: 0)
    private let threadCount: Int

    init(_ workers: WorkerThreads, _ size: WorkerThreads.Size) {
        threadCount = size.threadCount
        let began = DispatchSemaphore(value: 0)
        for _ in 0..<threadCount {
            let isTaken = workers.run(size) { [passed] in
                began.signal()
                passed.wait()
            }
            if !isTaken { Issue.record("work was refused") }
        }
        for _ in 0..<threadCount { began.wait() }
    }

    func release() {
        for _ in 0..<threadCount { passed.signal() }
    }
}
