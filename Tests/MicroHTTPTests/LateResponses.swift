import Synchronization
import Waiting

@testable import MicroHTTP

/// Responds to one request, at once or later, from any thread.
final class Responder: Sendable {
    private struct State {
        var response: Response?
        var seconds: Double?
        var isWoken: (@Sendable () -> Void)?
    }

    private let exchange: any HTTPExchange
    private let state = Mutex(State())

    init(_ exchange: any HTTPExchange) {
        self.exchange = exchange
    }

    func respond(_ response: Response) {
        state.withLock { $0.response = $0.response ?? response }
        exchange.resume()
    }

    /// Calls `body` after a time, or earlier if the client disconnects or the server stops.
    func after(seconds: Double, _ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.seconds = seconds
            state.isWoken = body
        }
        exchange.resume()
    }

    /// The handler's result. Call this in the handler.
    func result() -> Response? {
        if let seconds = state.withLock({ $0.seconds.take() }) {
            exchange.resume(afterSeconds: seconds)
        }
        if exchange.isTimeOver, let body = state.withLock({ $0.isWoken.take() }) { body() }
        return state.withLock { state in
            // The closure usually refers to this object.
            if state.response != nil { state.isWoken = nil }
            return state.response.take()
        }
    }
}

extension Router {
    /// Adds a route whose handler is called once, and may respond later.
    func on(
        _ method: HTTPMethod, _ pattern: String,
        _ handler: @escaping @Sendable (Request, Responder) -> Void
    ) {
        on(method, pattern) { (exchange: any HTTPExchange) -> Response? in
            let waiting = exchange.state as? Responder
            let responder = waiting ?? Responder(exchange)
            if waiting == nil {
                exchange.state = responder
                handler(exchange.request, responder)
            }
            let response = responder.result()
            // Otherwise the exchange and its responder would retain each other.
            if response != nil { exchange.state = nil }
            return response
        }
    }
}

/// Holds responders until a test responds.
final class HeldResponders: Sendable {
    private let responders = Mutex<[(Request, Responder)]>([])

    func put(_ request: Request, _ responder: Responder) {
        responders.withLock { $0.append((request, responder)) }
    }

    /// Waits until `count` requests have arrived, and takes them.
    func take(_ count: Int) throws -> [(Request, Responder)] {
        try waitUntil { responders.withLock { $0.count >= count } }
        return responders.withLock { held in
            defer { held = [] }
            return held
        }
    }

    /// A router with `/late/:id`, whose requests wait here, and the echo router's `/lists/:id`.
    func router() -> Router {
        let router = Router.echo()
        router.on(.get, "/late/:id") { self.put($0, $1) }
        router.on(.post, "/late/:id") { self.put($0, $1) }
        return router
    }
}

/// Runs `body` on a thread of its own and waits for it.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    LoopThread(body)?.join()
}
