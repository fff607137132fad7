import Dispatch
import Synchronization

extension Router {
    /// Handles a request like a server, but without a connection. Blocks until there is a response.
    /// For tests and tools.
    package func respond(to request: Request) -> Response {
        var request = request
        request.startNanoseconds = monotonicNanoseconds()
        var response = withMiddleware { $0.before(&request) } ?? handled(&request)
        withMiddleware { $0.after(&response, &request) }
        return response
    }

    private func handled(_ request: inout Request) -> Response {
        let signal = DispatchSemaphore(value: 0)
        let exchange = InProcessExchange(
            request, self, uptime: { DispatchTime.now().uptimeNanoseconds }
        ) { signal.signal() }
        while true {
            if let response = exchange.proceed() {
                // The exchange's request has the route, for metrics and logs.
                request = exchange.request
                return response
            }
            let deadline = exchange.deadline.map { DispatchTime(uptimeNanoseconds: $0) }
            _ = signal.wait(timeout: deadline ?? .distantFuture)
        }
    }
}

/// A request without a connection. Its owner calls the handler until there is a response.
///
/// `@unchecked Sendable`: the owner uses it on one thread, except `resume`, which only calls `wake`.
package final class InProcessExchange: HTTPExchange, @unchecked Sendable {
    package private(set) var request: Request
    package var routeIndex: Int? { request.routeIndex }
    package var state: AnyObject?
    /// The uptime in nanoseconds at which to call `proceed` even if the exchange was not woken; nil: none.
    package private(set) var deadline: UInt64?
    private let router: Router
    private let uptime: @Sendable () -> UInt64
    private let wake: @Sendable () -> Void
    private var hasBegun = false

    /// - Parameter wake: called on any thread when the owner must call `proceed` again. It must not
    ///   call `proceed` itself.
    package init(
        _ request: Request, _ router: Router, uptime: @escaping @Sendable () -> UInt64,
        wake: @escaping @Sendable () -> Void
    ) {
        self.request = request
        self.router = router
        self.uptime = uptime
        self.wake = wake
    }

    /// Calls the handler, from the beginning or after a wait. It does not block.
    ///
    /// - Returns: nil if there is no response yet.
    package func proceed() -> Response? {
        if !hasBegun {
            hasBegun = true
            // The body is complete, so the handler gives all of it to the reader.
            request.bodyReader = router.bodyReader(for: request, maximumPartBytes: .max)
            if let response = router.route(&request) { return response }
        }
        return router.handle(self)
    }

    package var isTimeOver: Bool { deadline.map { uptime() >= $0 } ?? false }

    package func resume() { wake() }

    /// Ends the time that the handler asked for, as if the client had closed its connection.
    package func endWaiting() {
        if deadline != nil { deadline = uptime() }
    }

    package func resume(afterSeconds seconds: Double) {
        if deadline == nil { deadline = uptime() + UInt64(seconds * 1e9) }
    }
}
