import ReorderStore

extension ListService {
    /// Begins to watch a list.
    ///
    /// What happens from now on is known to the watch. Where the list stood before is known once
    /// `position` was asked after this.
    ///
    /// - Parameter onNews: called after each change of the list, and each notice, on whatever thread
    ///   it happened: it must be quick, and not ask for a list.
    package func watch(
        _ list: String, onNews: @escaping @Sendable () -> Void
    ) -> ListWatch {
        ListWatch(channel(of: list), onNews)
    }

    /// Where a list stands once all that is decided by now is durable.
    package func position(of list: String, _ completion: @escaping Completion<ListPosition>) {
        decide(on: list, isRead: true) { [self] result in
            if case .success(let position) = result { channels.existing(list)?.learn(position) }
            completion(result)
        } _: { _, state in
            .result(.success(ListPosition(version: state.version, exists: state.exists)))
        }
    }

    /// The changes of a list after a version, oldest first, from memory or from the store: at most
    /// `limit`, and as many as have `bytes` together, but at least one where there is any.
    ///
    /// Only what is durable is given. `nil` where some change after the version is no longer kept.
    package func changes(
        of list: String, after version: Int, limit: Int, bytes: Int,
        _ completion: @escaping Completion<[StoredChange]?>
    ) {
        let news = channels.existing(list)?.news(after: version, notice: .max, bytes: bytes)
        if case .changes(let changes) = news {
            return completion(.success(Array(changes.prefix(limit))))
        }
        let question = HistoryReader.Question(
            list: list, version: version, limit: limit, bytes: bytes)
        history.ask(question) { result in
            completion(result.mapError { self.failure($0, list: list) })
        }
    }

    /// Tells those who watch a list now something that is kept nowhere.
    ///
    /// - Parameter data: JSON on one line.
    package func announce(_ event: String, _ data: [UInt8], on list: String) {
        channels.existing(list)?.announce(event: event, data)
    }

    private func channel(of list: String) -> ListChannel {
        channels.object(list) { [channels] in
            ListChannel(list) { channels.forget($0) }
        }
    }

    /// Shows changes that have become durable to those who watch.
    func publish(_ entries: [Committer.Entry]) {
        guard !channels.isEmpty else { return }
        for entry in entries { channels.existing(entry.list.id)?.publish(entry.commit) }
    }
}
