/// The end of the time that a request may wait, or of its client's connection.
///
/// Used by the loop's thread only.
final class ExchangeTimeout: Timed {
    /// Weak: an exchange that has ended is not kept for its deadline's sake.
    private weak var exchange: ConnectionExchange?

    var deadline = 0
    var deadlinePlace = -1
    /// The socket whose end the loop's `DisconnectWatch` waits for; -1: none.
    var watchedSocket: Int32 = -1

    init(_ exchange: ConnectionExchange) {
        self.exchange = exchange
    }

    func deadlinePassed(at _: Int) { exchange?.timeIsOver() }
}
