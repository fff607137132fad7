import Dispatch
import ReorderEngine
import ReorderStore
import Testing

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
        request.resumed.wait()
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
}
