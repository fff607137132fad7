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

/// A watch on the changes of all lists. It ends when it is released.
package final class FeedWatch: Sendable {
    private let feed: ChangeFeed

    init(_ feed: ChangeFeed, _ onNews: @escaping @Sendable () -> Void) {
        self.feed = feed
        feed.add(self, onNews)
    }

    deinit { feed.remove(self) }
}

extension ListService {
    /// Begins to watch the changes of all lists. To learn the current position, call
    /// `ChangeFeed.readLastPosition` afterwards.
    ///
    /// - Parameter onNews: called after new changes, on any thread. It must be quick.
    package func watchFeed(onNews: @escaping @Sendable () -> Void) -> FeedWatch {
        FeedWatch(feed, onNews)
    }
}
