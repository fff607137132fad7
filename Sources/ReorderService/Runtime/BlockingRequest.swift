import Dispatch

extension ListService {
    /// Runs a request, and blocks the calling thread until its response can be sent. For tools
    /// only; the server's threads never block.
    ///
    /// - Parameter body: can be called several times, also on a worker thread.
    package func waiting<Value: Sendable>(
        _ body: @escaping @Sendable (RequestContext) throws(ServiceError) -> Value
    ) throws(ServiceError) -> Value {
        let request = BlockingRequest<Value>(self)
        request.body = body
        add(request)
        return try request.result()
    }
}

/// `@unchecked Sendable`: only the thread that runs the request uses it, except the semaphore.
private final class BlockingRequest<Value: Sendable>: RequestHost, CommitObserver,
    @unchecked Sendable
{
    var body: (@Sendable (RequestContext) throws(ServiceError) -> Value)?
    private let wake = DispatchSemaphore(value: 0)
    private let context: RequestContext
    private var decision: Result<Value, ServiceError> = .failure(.unavailable)

    init(_ service: ListService) {
        context = RequestContext(service)
        context.host = self
    }

    func resume() { wake.signal() }

    func committed() { wake.signal() }

    func run() {
        do throws(ServiceError) {
            if let body { decision = .success(try body(context)) }
        } catch {
            if case .waiting = error { return context.suspend() }
            decision = .failure(error)
        }
        context.decided()
    }

    func result() throws(ServiceError) -> Value {
        var isResumed = false
        while true {
            switch context.next(isResumed: isResumed) {
            case .run:
                run()
                isResumed = false
            case .wait, .hold:
                wake.wait()
                isResumed = true
            case .finish:
                context.end(isDone: true)
                return try decision.get()
            case .fail(let error):
                context.end(isDone: false)
                throw error
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
        let outcome = try waiting { context throws(ServiceError) in
            try self.write(request, context, as: NoRenderer())
        }
        guard let answer = outcome.answer else { throw .unavailable }
        return answer
    }

    /// Returns the current list when its version is durable. Blocks the calling thread until then.
    package func versionedList(of list: String) throws(ServiceError) -> VersionedList {
        try waiting { context throws(ServiceError) in try self.versionedList(of: list, context) }
    }
}
