import Logging
import ReorderEngine
import ReorderStore
import Synchronization

/// The parts of the service for a store that other servers also write.
final class SharedStoreAccess: Sendable {
    let store: any SharedListStore
    /// The state of lists in the store.
    let listStates: BatchingLoader<String, FreshListState>
    /// The lists that contain tasks.
    let holders: BatchingLoader<TaskID, String>
    /// The stored responses.
    let responses: BatchingLoader<StoredResponseKey, StoredResponse>
    let remoteChangeMonitor: RemoteChangeMonitor
    private let refusedIDs = Mutex<Set<TaskID>>([])

    init(
        _ store: any SharedListStore, _ cache: ListCache, _ channels: WeakRegistry<ListChannel>,
        _ feed: ChangeFeed, _ logger: Logger, _ environment: ServiceEnvironment
    ) {
        self.store = store
        listStates = BatchingLoader("list states", logger, environment, isOfLists: true) {
            lists throws(StoreError) in
            try FreshListState.find(lists, in: store, cache)
        }
        holders = BatchingLoader("holders", logger, environment) { tasks throws(StoreError) in
            try store.lists(containing: tasks)
        }
        responses = BatchingLoader("responses", logger, environment) { keys throws(StoreError) in
            try store.responses(to: keys)
        }
        remoteChangeMonitor = RemoteChangeMonitor(store, channels, feed, logger, environment)
    }

    /// Stops all threads, and completes the waiting lookups.
    func stop() {
        remoteChangeMonitor.stop()
        holders.stop()
        responses.stop()
        listStates.stop()
    }

    // MARK: New tasks' ids

    /// Records ids that the store has refused. At least one of them is in another list.
    func recordRefusedIDs(_ tasks: [TaskID]) {
        refusedIDs.withLock { refusedIDs in
            // It is safe to forget ids: the store refuses them again, and they are recorded again.
            if refusedIDs.count > Self.maximumRefusedIDs { refusedIDs = [] }
            refusedIDs.formUnion(tasks)
        }
    }

    /// Returns the ids of new tasks that must be looked up before use.
    func refusedIDs(among tasks: [TaskID]) -> [TaskID] {
        refusedIDs.withLock { refusedIDs in
            refusedIDs.isEmpty ? [] : tasks.filter(refusedIDs.contains)
        }
    }

    /// Removes ids from the refused ones.
    func clear(_ tasks: [TaskID]) { refusedIDs.withLock { $0.subtract(tasks) } }

    private static let maximumRefusedIDs = 100_000
}
