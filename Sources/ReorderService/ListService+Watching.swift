import ReorderStore

extension ListService {
    /// The channel of a list. It knows all changes and notices from now on, as long as it is kept.
    ///
    /// To learn the list's current version, call `position` afterwards.
    package func channel(of list: String) -> ListChannel { channels.channel(of: list) }

    /// Makes streams and polls look again whether they have to end.
    package func wakeWatchers() {
        for channel in channels.all { channel.wakeWatchers() }
        feed.wakeWatchers()
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
}
