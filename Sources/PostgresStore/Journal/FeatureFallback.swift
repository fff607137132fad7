import Synchronization

/// An alternative for features that some engines lack.
///
/// PostgreSQL supports all of them. Distributed engines that use its protocol may refuse to lock
/// rows of several machines with one statement, or some kinds of joins, with the error "feature not
/// supported". From then on the alternative is used.
final class FeatureFallback: Sendable {
    private let isTaken: Atomic<Bool>

    /// - Parameter isTaken: whether to use the alternative from the start.
    init(isTaken: Bool) { self.isTaken = Atomic(isTaken) }

    /// Runs `body`; if the engine does not support a feature, repeats it with the alternative. The
    /// failed transaction is rolled back before the repetition.
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

    /// The maximum number of statements sent at once if one statement is replaced by many. It
    /// bounds the responses in transit.
    static let statementsAtOnce = 1_000
}
