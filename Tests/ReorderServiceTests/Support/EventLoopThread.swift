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
        let pending = Pending<WriteResult>()
        queue.async { [service] in
            service.begin({ pending.give($0) }) { service, context throws(ServiceError) in
                let outcome = try service.write(request, context, as: WordRenderer())
                guard let answer = outcome.answer else { throw .unavailable }
                return answer
            }
        }
        return pending
    }

    func read(_ list: String) -> Pending<VersionedList> {
        run { service, context throws(ServiceError) in
            try service.versionedList(of: list, context)
        }
    }

    func run<Value>(_ body: @escaping AsyncRequest<Value>.Body) -> Pending<Value> {
        let pending = Pending<Value>()
        queue.async { [service] in service.begin({ pending.give($0) }, body) }
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
