/// A request, and what a handler needs to respond to it now or later.
package protocol HTTPExchange: AnyObject, Sendable {
    /// The request, complete.
    var request: Request { get }
    /// The route that was taken, among the router's; nil before routing.
    var routeIndex: Int? { get }
    /// What the handler keeps from one call to the next. To be used in the handler only.
    var state: AnyObject? { get set }
    /// Has the handler called again. From any thread; if the response was sent meanwhile, nothing happens.
    func resume()
    /// Has the handler called again after this time, earlier if the client closes its connection or the server
    /// stops: then `isTimeOver` is true. To be called in the handler; only the first call counts.
    func resume(afterSeconds seconds: Double)
    /// Whether the request has waited for as long as it may.
    var isTimeOver: Bool { get }
}

/// What a handler has come to.
package enum HandlerResult {
    case respond(Response)
    /// It waits: it calls `resume` on the exchange.
    case wait
    /// It waits for the next `RecheckSignal`.
    case hold
}
