import ReorderStore

/// The changes after a position.
package enum FeedPage: Sendable {
    /// - Parameters:
    ///   - isLast: whether no more changes follow.
    ///   - end: the position of the last entry, or the position that was asked for.
    case entries([JournalEntry], isLast: Bool, end: Int)
    /// Changes after the position are no longer stored, or too many changes follow. A watcher gets
    /// the lists whose last change has the position `from` or a later one, and then the changes
    /// after `end`.
    case gap(from: Int, end: Int)
}

/// The last changes of some lists, in the order of their ids.
package struct FeedHeads: Sendable {
    package var heads: [ListHead]
    /// The id after which the next page begins; nil for the last page.
    package var cursor: String?
}
