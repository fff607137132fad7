import ReorderStore

extension ListService {
    /// Begins to watch a list.
    ///
    /// The watch receives everything from now on. To learn the list's current version, call
    /// `position` afterwards.
    ///
    /// - Parameter onNews: called after each of them, on any thread. It must be quick.
    package func watch(_ list: String, onNews: @escaping @Sendable () -> Void) -> ListWatch {
        ListWatch(channel(of: list), onNews)
    }

    /// Begins to watch the changes of all lists. To learn the current position, call
    /// `ChangeFeed.readLastPosition` afterwards.
    ///
    /// - Parameter onNews: called after new changes, on any thread. It must be quick.
    package func watchFeed(onNews: @escaping @Sendable () -> Void) -> FeedWatch {
        FeedWatch(feed, onNews)
    }

    /// Finds the list's last version.
    package func position(of list: String, _ done: @escaping Completion<ListPosition>) {
        find(
            list,
            continuing(done) { [self] snapshot in
                let position = ListPosition(version: snapshot.version, exists: snapshot.exists)
                channels.existing(list)?.learn(position)
                done(.success(position))
            })
    }

    /// Reads the changes of a list after a version, oldest first, from memory or from the store.
    /// Reads at most `limit` changes and `bytes` bytes, but at least one change if there is one.
    ///
    /// - Parameter done: gets durable changes, or nil if a change after the version is no longer
    ///   stored.
    package func changes(
        of list: String, after version: Int, limit: Int, bytes: Int,
        _ done: @escaping Completion<[StoredChange]?>
    ) {
        let news = channels.existing(list)?.pendingUpdates(
            after: version, notice: .max, bytes: bytes)
        if case .changes(let changes) = news {
            return done(.success(Array(changes.prefix(limit))))
        }
        let query = ChangesQuery(list: list, version: version, limit: limit, bytes: bytes)
        history.read(query, in: changeQueries, of: list, done) { store throws(StoreError) in
            try store.changes(query)
        }
    }

    private func channel(of list: String) -> ListChannel {
        channels.object(list) { ListChannel(list, in: channels) }
    }
}
