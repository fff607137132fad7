import Glibc

/// A counter that many threads add to often. Threads are distributed over cells in separate cache
/// lines.
package final class StripedCounter: Sendable {
    private static let stripes = 16
    /// The number of cells in two cache lines, which processors fetch together.
    private static let distance = 16
    private let cells = CounterRow(count: stripes * distance)

    package init() {}

    package func add(_ amount: Int = 1) {
        // Threads' handles are addresses near their stacks, which are megabytes apart.
        let thread = Int(bitPattern: UInt(pthread_self())) >> 12
        let stripe = (thread &* 0x9E37_79B9) >> 8 & (Self.stripes - 1)
        cells.addAmongOthers(amount, to: stripe * Self.distance)
    }

    /// The current sum. Complexity: O(1).
    package var value: Int {
        (0..<Self.stripes).reduce(0) { $0 + cells[$1 * Self.distance] }
    }
}
