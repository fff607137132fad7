import ReorderJSON

/// A part of a list's history, newest first.
package struct ListHistory: Sendable {
    /// The list's version.
    package var version: Int
    package var changes: [HistoryEntry]
    /// Whether earlier changes are stored.
    package var hasMore: Bool
}

/// A change in a form for people.
package struct HistoryEntry: Sendable {
    /// Without its operations.
    package var change: ChangeDocument
    /// The number of its operations.
    package var count: Int
    /// The effects of the first operations: at most `maximumSteps`.
    package var steps: [ChangeStep]
    /// Whether the state before the change is stored, so that it can be undone, unless later
    /// changes prevent that.
    package var mayUndo: Bool

    package static let maximumSteps = 10
}
