/// A request for a handler, and how to have the handler called again.
package protocol HTTPExchange: AnyObject, Sendable {
    /// The request, complete.
    var request: Request { get }
    /// The index of the route among the router's; nil before routing.
    var routeIndex: Int? { get }
    /// The handler's state, kept between its calls. Only the handler may use it.
    var state: AnyObject? { get set }
    /// Makes the loop call the handler again. Thread-safe. Does nothing if the response was sent meanwhile.
    func resume()
    /// Makes the loop call the handler again after this time, or earlier if the client disconnects or the server stops.
    /// Then `isTimeOver` is true. Call this in the handler; only the first call counts.
    func resume(afterSeconds seconds: Double)
    /// Whether the request's waiting time is over.
    var isTimeOver: Bool { get }
}
