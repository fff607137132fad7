import DequeModule
import Dispatch
import Synchronization

extension ListService {
    /// Runs a request, and blocks the calling thread until its response can be sent. For tools
    /// only; the server's threads never block.
    ///
    /// - Parameter body: can be called several times, also on a worker thread.
    package func waiting<Value: Sendable>(
        _ body: @escaping @Sendable (RequestContext) throws(ServiceError) -> Value
    ) throws(ServiceError) -> Value {
        let requests = BlockingRequests<Value>(self)
        requests.start(body)
        return try requests.finishFirst()
    }
}

/// Requests that one thread runs at once, so that one commit can serve many of them. For tools only.
///
/// `@unchecked Sendable`: only the thread that created it uses it, except `wake` and `isWoken`.
package final class BlockingRequests<Value: Sendable>: @unchecked Sendable {
    private let service: ListService
    private var requests: Deque<BlockingRequest<Value>> = []
    private let wake = DispatchSemaphore(value: 0)
    /// Whether the thread was woken and has not looked at its requests since.
    private let isWoken = Atomic<Bool>(false)

    package init(_ service: ListService) {
        self.service = service
    }

    /// Starts a request.
    ///
    /// - Parameter body: can be called several times, also on a worker thread.
    package func start(
        _ body: @escaping @Sendable (RequestContext) throws(ServiceError) -> Value
    ) {
        let request = BlockingRequest(service, self, body)
        requests.append(request)
        request.advance()
    }

    /// Blocks until the response of the request that was started first can be sent, and returns
    /// its result. Each request that was started can be finished once.
    ///
    /// - Complexity: O(*n*) for each result, where *n* is the number of unfinished requests.
    package func finishFirst() throws(ServiceError) -> Value {
        let first = requests.removeFirst()
        first.advance()
        while true {
            if let result = first.result { return try result.get() }
            wake.wait()
            // Reset first, so that a later event wakes the thread again.
            isWoken.store(false, ordering: .sequentiallyConsistent)
            first.advance()
            for request in requests { request.advance() }
        }
    }

    /// Makes the thread look at its requests again.
    fileprivate func resume() {
        if !isWoken.exchange(true, ordering: .sequentiallyConsistent) { wake.signal() }
    }
}

/// `@unchecked Sendable`: only the thread that runs the request uses it, except `isResumed`.
private final class BlockingRequest<Value: Sendable>: RequestHost, @unchecked Sendable {
    /// nil until the response can be sent.
    private(set) var result: Result<Value, ServiceError>?
    private let body: @Sendable (RequestContext) throws(ServiceError) -> Value
    private let context: RequestContext
    private let requests: BlockingRequests<Value>
    private let isResumed = Atomic<Bool>(false)
    private var decision: Result<Value, ServiceError> = .failure(.unavailable)

    init(
        _ service: ListService, _ requests: BlockingRequests<Value>,
        _ body: @escaping @Sendable (RequestContext) throws(ServiceError) -> Value
    ) {
        self.body = body
        self.requests = requests
        context = RequestContext(service)
        context.host = self
    }

    func resume() {
        isResumed.store(true, ordering: .sequentiallyConsistent)
        requests.resume()
    }

    func run() {
        do throws(ServiceError) {
            decision = .success(try body(context))
        } catch {
            if case .waiting = error { return context.suspend() }
            decision = .failure(error)
        }
        context.decided()
    }

    /// Runs the request until it has to wait, or has a result.
    func advance() {
        while result == nil {
            let isResumed = isResumed.exchange(false, ordering: .sequentiallyConsistent)
            switch context.next(isResumed: isResumed) {
            case .run: run()
            case .wait: return
            case .finish:
                context.end(isDone: true)
                result = decision
            case .fail(let error):
                context.end(isDone: false)
                result = .failure(error)
            }
        }
    }
}

/// Renders nothing. For requests without a key and without ops that have ids.
package struct NoRenderer: WriteRenderer {
    package init() {}
    package func bytes(of _: Result<WriteResult, ServiceError>, withTasks: Bool) -> [UInt8] { [] }
    package func bytes(
        of _: Result<CommandResult, ServiceError>, at _: Int, withTasks: Bool
    ) -> [UInt8] { [] }
}

extension ListService {
    /// Applies a write without a key, and blocks the calling thread until it is durable.
    package func write(_ request: WriteRequest) throws(ServiceError) -> WriteResult {
        let requests = BlockingRequests<WriteResult>(self)
        requests.start(request)
        return try requests.finishFirst()
    }

    /// Returns the current list when its version is durable. Blocks the calling thread until then.
    package func versionedList(of list: String) throws(ServiceError) -> VersionedList {
        try waiting { context throws(ServiceError) in try self.versionedList(of: list, context) }
    }
}

extension BlockingRequests<WriteResult> {
    /// Starts a write without a key.
    package func start(_ request: WriteRequest) {
        start { [service] context throws(ServiceError) in
            let outcome = try service.write(request, context, as: NoRenderer())
            guard let answer = outcome.answer else { throw .unavailable }
            return answer
        }
    }
}
