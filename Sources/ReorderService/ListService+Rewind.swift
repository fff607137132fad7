import Logging
import ReorderJSON
import ReorderStore
import Synchronization

/// That a shared store went back, and who must be told.
final class RewindSignal: Sendable {
    private struct State {
        var hasCome = false
        var body: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let isSet = Atomic(false)

    /// Takes no lock.
    var hasCome: Bool { isSet.load(ordering: .acquiring) }

    func come() {
        isSet.store(true, ordering: .releasing)
        let body = state.withLock { state in
            state.hasCome = true
            return state.body.take()
        }
        body?()
    }

    func whenCome(_ body: @escaping @Sendable () -> Void) {
        let hasCome = state.withLock { state in
            if !state.hasCome { state.body = body }
            return state.hasCome
        }
        if hasCome { body() }
    }
}

extension ListService {
    /// Whether the store went back, or has a new epoch. Then nothing that this service has in memory is
    /// valid: it refuses everything, its streams end, and another service must take its place.
    package var isRewound: Bool { rewind.hasCome }

    /// Calls `body` once the service is rewound, at once if it is already. `body` may block.
    package func whenRewound(_ body: @escaping @Sendable () -> Void) { rewind.whenCome(body) }

    func end(after cause: StoreRewind) {
        logger.error("this server drops all lists in memory, and begins again: \(cause.reason)")
        rewind.come()
        wakeWatchers()
    }

    /// Logs which of the lists that this service had in memory went back, and how far. Blocks.
    ///
    /// - Parameter next: the service that takes its place.
    package func logRewoundLists(now next: ListService) {
        guard let store = next.store as? any SharedListStore else { return }
        var known: [String: Known] = [:]
        for channel in channels.all where channel.position.version > 0 {
            known[channel.list] = Known(version: channel.position.version, time: nil)
        }
        for snapshot in durable.published.snapshots
        where snapshot.version >= known[snapshot.id]?.version ?? 1 {
            known[snapshot.id] = Known(
                version: snapshot.version, time: snapshot.list.list.changeStamp?.time)
        }
        var count = 0
        let lists = known.keys.sorted()
        for start in stride(from: 0, to: lists.count, by: Self.listsPerQuery) {
            let part = lists[start..<min(start + Self.listsPerQuery, lists.count)]
            let questions = part.map {
                ListStateQuery(list: $0, known: (known[$0]?.version ?? 1) - 1)
            }
            guard let states = try? store.listStates(of: questions) else { break }
            for list in part {
                guard let known = known[list],
                    let loss = known.loss(in: states[list])
                else { continue }
                count += 1
                guard count <= Self.loggedLists else { continue }
                logger.error(
                    "list \(list) went back",
                    metadata: [
                        "known": .stringConvertible(known.version),
                        "stored": .stringConvertible(states[list]?.version ?? 0), "loss": "\(loss)",
                    ])
            }
        }
        logger.error(
            "of the lists in memory, some went back",
            metadata: [
                "lists": .stringConvertible(count), "memory": .stringConvertible(lists.count),
            ])
    }

    private struct Known {
        var version: Int
        /// The time of the change that led to the version; nil if unknown.
        var time: Int64?

        /// What the store lacks; nil if it has the version, as far as is known.
        func loss(in state: StoredListState?) -> String? {
            guard let state, state.version >= version else {
                return "versions after \(state?.version ?? 0)"
            }
            guard let time, let change = state.changes.first, change.version == version,
                let stored = try? ChangeDocument(json: change.bytes), stored.stamp.time != time
            else { return nil }
            return "version \(version) is another one, and maybe earlier ones"
        }
    }

    private static let listsPerQuery = 1_000
    /// The maximum number of log lines.
    private static let loggedLists = 100
}
