import ReorderStore

extension ListService {
    /// Begins to watch a list.
    ///
    /// What happens from now on is known to the watch. Where the list stood before is known once `position` was
    /// called after this.
    package func watch(_ list: String, for observer: any Resumable) -> ListWatch {
        ListWatch(channel(of: list), observer)
    }

    /// Where a list stands, all of it durable. If something of it is not durable yet, the run ends.
    package func position(
        of list: String, _ context: RequestContext
    ) throws(ServiceError) -> ListPosition {
        let position = try context.durable(\.position) { () throws(ServiceError) in
            try decide(on: list, isRead: true, context) { lists throws(Interruption) in
                ListPosition(version: lists.list.state.version, exists: lists.list.state.exists)
            }
        }
        channels.existing(list)?.learn(position)
        return position
    }

    /// The changes of a list after a version, oldest first, from memory or from the store: at most
    /// `limit`, and as many as have `bytes` together, but at least one if there is any.
    ///
    /// Only durable changes are returned. nil: a change after the version is no longer kept.
    package func changes(
        of list: String, after version: Int, limit: Int, bytes: Int, _ context: RequestContext
    ) throws(ServiceError) -> [StoredChange]? {
        try context.wait(for: \.history) { reply in
            readChanges(of: list, after: version, limit: limit, bytes: bytes, reply)
        }
    }

    /// Ends the run until there is news of the list that the request watches, or its time is over.
    package func waitForNews(_ context: RequestContext) -> ServiceError {
        // What is known by now is not what is asked for.
        (context.progress.position, context.progress.standings) = (nil, nil)
        return .waiting
    }

    /// The same for an event stream.
    package func readChanges(
        of list: String, after version: Int, limit: Int, bytes: Int,
        _ reply: Reply<[StoredChange]?>
    ) {
        let news = channels.existing(list)?.news(after: version, notice: .max, bytes: bytes)
        if case .changes(let changes) = news {
            return reply.fill(.success(Array(changes.prefix(limit))))
        }
        history.ask(
            HistoryReader.Question(list: list, version: version, limit: limit, bytes: bytes), reply)
    }

    /// Tells those who watch a list now something that is kept nowhere.
    ///
    /// - Parameter data: JSON on one line.
    package func announce(_ event: String, _ data: [UInt8], on list: String) {
        channels.existing(list)?.announce(event: event, data)
    }

    private func channel(of list: String) -> ListChannel {
        channels.object(list) { ListChannel(list, in: channels) }
    }

    /// Shows changes that have become durable to those who watch.
    func publish(_ entries: [ListEntry]) {
        guard !channels.isEmpty else { return }
        for entry in entries { channels.existing(entry.list.id)?.publish(entry.commit) }
    }
}
