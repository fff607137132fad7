import Foundation

/// How a test of random operations is run: `REORDERD_SEED` reruns a seed that failed,
/// `REORDERD_OPERATIONS` sets the number of operations in all, `REORDERD_MOST_OPERATIONS` bounds it.
package enum RandomRun {
    package static let seed = number("REORDERD_SEED") ?? UInt64.random(in: 0...UInt64(UInt32.max))

    /// Operations of a test that takes `percent` of all, which are `standard` where nothing is said.
    package static func operations(_ standard: Int = 200_000, percent: Int = 100) -> Int {
        let operations = number("REORDERD_OPERATIONS").map { Int($0) } ?? standard
        let most = number("REORDERD_MOST_OPERATIONS").map { Int($0) } ?? .max
        return min(operations, most) * percent / 100
    }

    /// Operations of a run against processes in real time; `REORDERD_CONVERGENCE` sets another number.
    package static func convergenceOperations(_ standard: Int) -> Int {
        number("REORDERD_CONVERGENCE").map { Int($0) } ?? standard
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}
