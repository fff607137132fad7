import Dispatch
import Synchronization

extension Router {
    /// Handles a request as a server does, without a connection, and blocks until the response is there. For
    /// tests and tools.
    package func respond(to request: Request) -> Response {
        var request = request
        request.startNanoseconds = monotonicNanoseconds()
        var response = withMiddleware { $0.before(&request) } ?? handled(&request)
        withMiddleware { $0.after(&response, request) }
        return response
    }

    private func handled(_ request: inout Request) -> Response {
        if let response = begin(&request) { return response }
        let exchange = InProcessExchange(request)
        rechecks.add(exchange)
        while true {
            if case .respond(let response) = handle(exchange) { return response }
            exchange.wait()
        }
    }
}

/// `@unchecked Sendable`: everything but the semaphore is used by the thread that waits, and `deadline` too by a
/// timer that reads nothing else.
private final class InProcessExchange: HTTPExchange, RecheckListener, @unchecked Sendable {
    let request: Request
    var routeIndex: Int? { request.routeIndex }
    var state: AnyObject?
    private var deadline: DispatchTime?
    private let wake = DispatchSemaphore(value: 0)

    init(_ request: Request) {
        self.request = request
    }

    var isTimeOver: Bool { deadline.map { DispatchTime.now() >= $0 } ?? false }

    func resume() { wake.signal() }

    func recheck() { wake.signal() }

    func resume(afterSeconds seconds: Double) {
        if deadline == nil { deadline = .now() + seconds }
    }

    func wait() {
        if let deadline { _ = wake.wait(timeout: deadline) } else { wake.wait() }
    }
}
