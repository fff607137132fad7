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

    init(_ feed: ChangeFeed, _ observer: any Resumable) {
        self.feed = feed
        feed.add(self, observer)
    }

    deinit { feed.remove(self) }
}

extension ListService {
    /// Begins to watch the changes of all lists. To learn the current position, call
    /// `lastPosition` afterwards.
    package func watchFeed(for observer: any Resumable) -> FeedWatch { FeedWatch(feed, observer) }

    /// The position of the last change.
    package func lastPosition(_ context: RequestContext) throws(ServiceError) -> Int {
        try context.wait(for: \.lastPosition) { feed.readLastPosition($0) }
    }

    /// The changes after a position.
    package func feedPage(
        after position: Int, bytes: Int, _ context: RequestContext
    ) throws(ServiceError) -> FeedPage {
        try context.wait(for: \.feedPage) { feed.read(after: position, bytes: bytes, $0) }
    }

    /// The lists that have changed since a position: see `ChangeFeed.readHeads`.
    package func feedHeads(
        of ranges: [ListIDRange]?, after list: String?, changedFrom position: Int, limit: Int,
        _ context: RequestContext
    ) throws(ServiceError) -> FeedHeads {
        try context.wait(for: \.feedHeads) { reply in
            feed.readHeads(
                of: ranges, after: list, changedFrom: position, limit: limit, reply)
        }
    }

    /// Continues after a page in which the client has no change. Ends the run if no more changes
    /// exist. Then the next run is when the watch is notified, or the request's time is over.
    package func skipFeedPage(isLast: Bool, _ context: RequestContext) throws(ServiceError) {
        context.progress.feedPage = nil
        if isLast { throw .waiting }
    }
}
