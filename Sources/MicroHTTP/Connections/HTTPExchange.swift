/// A request, and what a handler needs to respond to it now or later.
package protocol HTTPExchange: AnyObject, Sendable {
    /// The request, complete.
    var request: Request { get }
    /// The route that was taken, among the router's; nil before routing.
    var routeIndex: Int? { get }
    /// The handler's state, kept between its calls. Only the handler may use it.
    var state: AnyObject? { get set }
    /// Has the handler called again. From any thread; if the response was sent meanwhile, nothing happens.
    func resume()
    /// Has the handler called again after this time, earlier if the client closes its connection or the server
    /// stops: then `isTimeOver` is true. To be called in the handler; only the first call counts.
    func resume(afterSeconds seconds: Double)
    /// Whether the request's waiting time is over.
    var isTimeOver: Bool { get }
}

/// The result of a handler's call.
package enum HandlerResult {
    case respond(Response)
    /// It waits: it calls `resume` on the exchange.
    case wait
    /// It waits for the next `RecheckSignal`.
    case hold
}
