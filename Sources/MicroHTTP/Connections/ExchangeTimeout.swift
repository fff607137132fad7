/// Ends the wait of a request after its time, or when its client disconnects.
///
/// Used by the loop's thread only.
final class ExchangeTimeout: Timed {
    /// Weak, because the deadline must not keep an exchange that has ended.
    private weak var exchange: (any HTTPExchange)?

    private(set) var isOver = false
    var deadline = 0
    var deadlinePlace = -1
    /// The socket that the loop's `DisconnectWatch` watches; -1: none.
    var watchedSocket: Int32 = -1

    init(_ exchange: any HTTPExchange) {
        self.exchange = exchange
    }

    /// Called when the handler's waiting time is over, or the client has disconnected.
    func deadlinePassed(at _: Int) {
        isOver = true
        exchange?.resume()
    }
}
