import Dispatch

/// The duty to answer one request, once, from any thread, at once or later.
///
/// Answering within the handler costs nothing more; answering later suspends the connection until
/// then, and no thread waits for it. One that is released without an answer answers 500.
package final class Responder: Sendable {
    private enum Destination {
        case exchange(Exchange)
        case closure(OneAnswer)
        /// Another's duty, whose answers go through a function on their way.
        case responder(Responder, finish: @Sendable (Response) -> Response)
    }

    private let destination: Destination

    init(_ exchange: Exchange) {
        destination = .exchange(exchange)
    }

    /// A responder that hands the answer to `deliver`, for calling a router directly.
    package init(_ deliver: @escaping @Sendable (Response) -> Void) {
        destination = .closure(OneAnswer(deliver))
    }

    /// Takes another's duty over. Its answers go through `finish`, on the thread that sends them.
    init(_ responder: Responder, finish: @escaping @Sendable (Response) -> Response) {
        destination = .responder(responder, finish: finish)
    }

    deinit {
        switch destination {
        case .exchange(let exchange): exchange.abandon()
        case .closure(let answer): answer.give(HTTPFailure.internalError.plainResponse())
        // It is released now, and then fails by itself.
        case .responder: break
        }
    }

    /// Answers the request. Only the first answer counts. May be called from any thread.
    ///
    /// - Parameter response: asked for once, by the thread that sends it: where the answer comes late,
    ///   that is not the calling thread, which so is not held up by rendering.
    package func respond(_ response: @autoclosure @escaping @Sendable () -> Response) {
        switch destination {
        case .exchange(let exchange):
            if exchange.answer(response) { exchange.loop.resume(exchange) }
        case .closure(let answer): answer.give(response())
        case .responder(let responder, let finish): responder.respond(finish(response()))
        }
    }

    /// Tells by which route the answer comes. Before it is given, on the thread that routes.
    func routed(to route: Int) {
        switch destination {
        case .exchange(let exchange): exchange.route = route
        case .responder(let responder, _): responder.routed(to: route)
        case .closure: break
        }
    }

    /// Calls `body` after a time, unless the request was answered before; earlier if the client closes its
    /// connection or the server stops. No thread waits for it. May be called from any thread, once.
    ///
    /// - Parameter body: called on an event loop's thread: it must not block. It may be called twice.
    package func after(seconds: Double, _ body: @escaping @Sendable () -> Void) {
        switch destination {
        case .exchange(let exchange):
            exchange.loop.set(Alarm(exchange, seconds: seconds, body))
        case .responder(let responder, _): responder.after(seconds: seconds, body)
        case .closure:
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: body)
        }
    }
}
