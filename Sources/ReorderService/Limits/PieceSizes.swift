/// The sizes of the pieces into which long work is divided, so that other work does not wait long.
/// Simulations make them small.
package struct PieceSizes: Sendable {
    /// The maximum number of tasks that a page examines.
    package var examinedTasks = 10_000
    /// The maximum number of lists that a page of a search examines.
    package var searchedLists = 100
    /// The maximum number of changes in a page of the feed.
    package var feedChanges = 1_000
    /// The maximum number of changes after the position of a client of the feed. If there are more,
    /// the client does not get the changes but the lists that have changed.
    package var feedDistance = 10_000
    /// The maximum number of lists that a stream of the feed reads at once.
    package var feedLists = 200
    /// After this number of changes of other lists, a client of the feed gets a new event id. It
    /// limits the number of changes that are read again after a reconnect.
    package var feedIDInterval = 1_000
    /// The maximum size of the changes that a stream sends at once, unless one change is larger.
    package var streamBytes = 32 << 10
    /// The maximum number of changes or responses that are removed at once. A commit waits for at
    /// most one such batch.
    package var removedRows = 256
    /// The same for lists in the bin, whose snapshots are larger.
    package var removedLists = 16

    package init() {}
}
