import Synchronization

/// Another way to do what some engines refuse.
///
/// PostgreSQL does all of it. Engines that speak its protocol and keep rows on several machines may refuse
/// to lock rows of several of them with one statement, or to join tables in one way or another, as a feature
/// that they lack. Then it is done the other way, from then on.
final class Fallback: Sendable {
    private let isTaken: Atomic<Bool>

    /// - Parameter isTaken: whether the other way is the one from the beginning.
    init(isTaken: Bool) { self.isTaken = Atomic(isTaken) }

    /// Runs `body`, and once more, the other way, where the engine refuses what that takes; what it began is
    /// rolled back by then.
    func using<Value>(
        _ body: (_ isTaken: Bool) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        let isTaken = isTaken.load(ordering: .relaxed)
        do {
            return try body(isTaken)
        } catch .refused(state: "0A000", _) where !isTaken {
            self.isTaken.store(true, ordering: .relaxed)
            return try body(true)
        }
    }

    /// Where there are more statements for one: so many go out at once, each with its answer on the way back.
    static let statementsAtOnce = 1_000
}
