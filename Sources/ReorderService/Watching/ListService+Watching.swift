import ReorderStore

extension ListService {
    /// Begins to watch a list.
    ///
    /// The watch receives everything from now on. To learn the list's current version, call
    /// `position` afterwards.
    package func watch(_ list: String, for observer: any Resumable) -> ListWatch {
        ListWatch(channel(of: list), observer)
    }

    /// Returns the list's last version.
    package func position(
        of list: String, _ context: RequestContext
    ) throws(ServiceError) -> ListPosition {
        let position = try context.once(\.position) { () throws(ServiceError) in
            let snapshot = try snapshot(of: list, context)
            return ListPosition(version: snapshot.version, exists: snapshot.exists)
        }
        channels.existing(list)?.learn(position)
        return position
    }

    /// Returns the changes of a list after a version, oldest first, from memory or from the store.
    /// Returns at most `limit` changes and `bytes` bytes, but at least one change if there is one.
    ///
    /// All returned changes are durable. Returns nil if a change after the version is no longer
    /// stored.
    package func changes(
        of list: String, after version: Int, limit: Int, bytes: Int, _ context: RequestContext
    ) throws(ServiceError) -> [StoredChange]? {
        try context.wait(for: \.history) { reply in
            readChanges(of: list, after: version, limit: limit, bytes: bytes, reply)
        }
    }

    /// Ends the run. The next run is when the watched list has new events, or the request's time is
    /// over.
    package func waitForUpdates(_ context: RequestContext) -> ServiceError {
        // The next run must read them again.
        context.progress.position = nil
        return .waiting
    }

    /// Like `changes`, but for an event stream.
    package func readChanges(
        of list: String, after version: Int, limit: Int, bytes: Int,
        _ reply: Reply<[StoredChange]?>
    ) {
        let news = channels.existing(list)?.pendingUpdates(
            after: version, notice: .max, bytes: bytes)
        if case .changes(let changes) = news {
            return reply.fill(.success(Array(changes.prefix(limit))))
        }
        history.load(
            HistoryReader.Query(list: list, version: version, limit: limit, bytes: bytes), reply)
    }

    private func channel(of list: String) -> ListChannel {
        channels.object(list) { ListChannel(list, in: channels) }
    }
}
