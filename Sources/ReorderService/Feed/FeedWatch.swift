/// A watch on the changes of all lists. It ends when it is released.
package final class FeedWatch: Sendable {
    private let feed: ChangeFeed

    init(_ feed: ChangeFeed, _ onNews: @escaping @Sendable () -> Void) {
        self.feed = feed
        feed.add(self, onNews)
    }

    deinit { feed.remove(self) }
}
