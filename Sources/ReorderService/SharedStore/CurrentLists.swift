import ReorderEngine
import ReorderStore
import Synchronization

/// A list's state in a shared store, and its version in memory when the store was queried.
struct CurrentState: Sendable {
    /// nil if the list never existed.
    var stored: StoredListState?
    /// nil if the list was not in memory.
    var known: Int?

    var version: Int { stored?.version ?? 0 }

    /// Reads the states of lists, all of one moment.
    static func read(
        _ lists: [String], from store: any SharedListStore, _ published: PublishedLists
    ) throws(StoreError) -> [String: CurrentState] {
        var states: [String: CurrentState] = [:]
        for (list, snapshot) in zip(lists, published.find(lists)) {
            states[list] = CurrentState(known: snapshot?.version)
        }
        let stored = try store.listStates(
            of: states.map { ListStateQuery(list: $0, known: $1.known) })
        for (list, state) in stored { states[list]?.stored = state }
        return states
    }
}

/// The lists of a shared store as they are now, for reads. Other servers change them, so each read
/// asks the store for their versions. Reads that arrive during a query share the next one.
final class CurrentLists: Sendable {
    private let durable: DurableLists
    private let loader: BatchingLoader<String, CurrentState>

    init(_ durable: DurableLists, _ store: any SharedListStore) {
        self.durable = durable
        loader = BatchingLoader("current versions", durable.environment) { [durable] error, list in
            durable.failure(error, list: list ?? "?")
        } _: {
            [published = durable.published] lists throws(StoreError) in
            guard store.isReachable else {
                throw .unavailable(reason: "the store cannot be reached")
            }
            return try CurrentState.read(lists, from: store, published)
        }
    }

    /// The number of waiting reads.
    var waitingCount: Int { loader.waitingCount }

    /// - Parameter done: gets the list's state at a moment after this call.
    func find(
        _ id: String, _ done: @escaping Completion<Snapshot>
    ) {
        loader.load([id]) { [self] result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success(let states): find(id, states[id] ?? CurrentState(), done)
            }
        }
    }

    private func find(
        _ id: String, _ state: CurrentState,
        _ done: @escaping Completion<Snapshot>
    ) {
        if let snapshot = durable.current(id, state) { return done(.success(snapshot)) }
        durable.load(id) { [self] result in
            // The load may have begun before this read, for another one.
            if case .success(let snapshot) = result, snapshot.version < state.version {
                return find(id, done)
            }
            if case .success(let snapshot) = result { durable.onCaughtUp(snapshot.list) }
            done(result)
        }
    }

    /// Completes the waiting reads and stops the thread.
    func stop() { loader.stop() }
}

extension DurableLists {
    /// The list at its state in a shared store, or newer.
    ///
    /// - Returns: nil if the list must be loaded.
    func current(_ id: String, _ state: CurrentState) -> Snapshot? {
        if let known = state.known, state.version < known, let snapshot = published.find(id) {
            // The store has lost changes.
            published.remove(snapshot)
        }
        guard let stored = state.stored, stored.exists else {
            var absent = WorkingList(id: id)
            absent.version = state.version
            let snapshot = Snapshot(absent)
            published.publish([snapshot])
            onCaughtUp(absent)
            if let newer = published.find(id), newer.version > absent.version { return newer }
            return snapshot
        }
        guard let snapshot = published.find(id) else { return nil }
        guard stored.version > snapshot.version else { return snapshot }
        var list = snapshot.list
        guard list.catchUp(with: stored) else {
            published.remove(snapshot)
            return nil
        }
        let caught = Snapshot(list)
        published.publish([caught])
        onCaughtUp(list)
        return caught
    }
}
