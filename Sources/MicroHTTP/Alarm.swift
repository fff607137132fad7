/// Something to do if a request is not answered in time, or its client leaves before.
///
/// `@unchecked Sendable`: the constants never change; all else is touched by the loop's thread only.
final class Alarm: Timed, @unchecked Sendable {
    let seconds: Double
    private let body: @Sendable () -> Void
    /// Weak: an answered request is not kept for its deadline's sake.
    private(set) weak var exchange: Exchange?

    var deadline = 0
    var deadlinePlace = -1
    /// The socket whose end the loop's `DisconnectWatch` waits for; -1: none.
    var watchedSocket: Int32 = -1

    init(_ exchange: Exchange, seconds: Double, _ body: @escaping @Sendable () -> Void) {
        self.exchange = exchange
        self.seconds = seconds
        self.body = body
    }

    func deadlinePassed(at _: Int) { body() }
}
