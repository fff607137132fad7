/// Bounds each transaction of a large append. A commit of another list waits for at most one of
/// them.
package struct StepLimits: Sendable {
    /// The number of tasks.
    package var rows: Int
    /// The number of bytes of a change or snapshot.
    package var bytes: Int

    /// Steps of the default size take a few milliseconds.
    package init(rows: Int = 1_000, bytes: Int = 256 << 10) {
        self.rows = rows
        self.bytes = bytes
    }
}

/// A transaction of a large append, or of the work that it has left.
package struct LargeStep: Sendable, Equatable {
    package enum Kind: Sendable {
        /// Changes of the index of tasks are written; they are not valid yet.
        case stage
        /// A part of a change or snapshot is written; it is not valid yet.
        case piece
        /// The append has become valid.
        case validate
        /// Valid changes are moved into the index of tasks, or invalid ones are removed.
        case merge
        /// Pieces that are no longer needed are removed.
        case remove
    }

    package var kind: Kind
    package var rows = 0
    package var bytes = 0
}
