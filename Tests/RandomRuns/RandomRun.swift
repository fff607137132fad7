import Foundation

/// The settings of tests with random operations. `REORDERD_SEED` repeats a run that failed,
/// `REORDERD_OPERATIONS` sets the total number of operations, `REORDERD_MOST_OPERATIONS` limits it.
package enum RandomRun {
    package static let seed = number("REORDERD_SEED") ?? UInt64.random(in: 0...UInt64(UInt32.max))

    /// The number of operations of a test that gets `percent` of all operations.
    ///
    /// - Parameter standard: the number of all operations if `REORDERD_OPERATIONS` is not set. The test then takes at most 5
    ///   seconds in a debug build.
    package static func operations(_ standard: Int = 20_000, percent: Int = 100) -> Int {
        let operations = number("REORDERD_OPERATIONS").map { Int($0) } ?? standard
        let most = number("REORDERD_MOST_OPERATIONS").map { Int($0) } ?? .max
        return min(operations, most) * percent / 100
    }

    /// The number of operations of a run with processes in real time: `REORDERD_CONVERGENCE`, or
    /// `standard` if it is not set.
    package static func convergenceOperations(_ standard: Int) -> Int {
        number("REORDERD_CONVERGENCE").map { Int($0) } ?? standard
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}
