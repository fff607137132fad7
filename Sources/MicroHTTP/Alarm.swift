/// Something to do where a request is not answered in time.
///
/// `@unchecked Sendable`: the constants never change; all else is touched by the loop's thread only.
final class Alarm: Timed, @unchecked Sendable {
    let seconds: Double
    private let body: @Sendable () -> Void
    /// Weak: an answered request is not kept for its deadline's sake.
    private(set) weak var exchange: Exchange?

    var deadline = 0
    var deadlinePlace = -1

    init(_ exchange: Exchange, seconds: Double, _ body: @escaping @Sendable () -> Void) {
        self.exchange = exchange
        self.seconds = seconds
        self.body = body
    }

    func deadlinePassed(at _: Int) { body() }
}
