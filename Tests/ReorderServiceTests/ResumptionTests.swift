import Dispatch
import Foundation
import ReorderEngine
import ReorderStore
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// Resumptions of a request that a worker runs.
@Suite struct ResumptionTests {
    /// A request that goes to a worker, and there begins to wait for a lookup.
    ///
    /// `@unchecked Sendable`: the test uses it before and after the worker, which `resumed` orders.
    private final class Waiting: RequestHost, @unchecked Sendable {
        let context: RequestContext
        let resumed = DispatchSemaphore(value: 0)
        var lookup: Reply<[TaskID: String]>?

        init(_ service: ListService) {
            context = RequestContext(service)
            context.host = self
        }

        func run() {
            do throws(ServiceError) {
                guard context.isOnWorker || lookup != nil else {
                    throw context.wait(forWorker: .small)
                }
                _ = try context.wait(for: \.holders) { lookup = $0 }
                context.decided()
            } catch {
                context.suspend()
            }
        }

        func resume() { resumed.signal() }
    }

    /// An event loop handles all resumptions since its last turn at once. So the worker's end and
    /// the lookup's result can be one resumption.
    @Test func aResultThatArrivesWithTheEndOfAWorkersRunIsNotMissed() throws {
        let service = ListService.quiet(MemoryListStore())
        defer { try? service.stop() }
        let request = Waiting(service)
        guard case .run = request.context.next(isResumed: true) else {
            Issue.record("the request does not run")
            return
        }
        request.run()
        try request.resumed.waitForSignal()
        let lookup = try #require(request.lookup)
        lookup.fill(.success([:]))
        guard case .run = request.context.next(isResumed: true) else {
            Issue.record("the request waits for ever")
            return
        }
        request.run()
        guard case .finish = request.context.next(isResumed: false) else {
            Issue.record("the request is not decided")
            return
        }
        request.context.end(isDone: true)
        request.lookup = nil  // It retains the request.
    }

    /// A body can be read by a worker for smaller work than its write needs.
    @Test func aLargeWriteLeavesTheWorkerForSmallerWork() throws {
        let service = ListService.quiet(MemoryListStore())
        defer { try? service.stop() }
        var write = WriteRequest(
            list: "l", action: .create(try .flat((0..<20_000).map { "t\($0)" })))
        // The decision renders the response to a request with a key.
        write.key = IdempotencyKey(.list("l"), key: "k", digest: [1])
        let request = write
        let renderer = ThreadRenderer()
        let outcome = try service.waiting { context throws(ServiceError) in
            guard context.isOnWorker else { throw context.wait(forWorker: .medium) }
            return try service.write(request, context, as: renderer)
        }
        #expect(outcome.answer?.version == 1)
        #expect(renderer.threads.withLock { $0.map { $0.prefix { $0 != " " } } } == ["large"])
    }

    /// Records the threads that render.
    private final class ThreadRenderer: WriteRenderer, Sendable {
        let threads = Mutex<[String]>([])

        func bytes(of _: Result<WriteResult, ServiceError>, withTasks _: Bool) -> [UInt8] {
            threads.withLock { $0.append(Thread.current.name ?? "") }
            return []
        }

        func bytes(
            of _: Result<CommandResult, ServiceError>, at _: Int, withTasks _: Bool
        ) -> [UInt8] { [] }
    }
}
