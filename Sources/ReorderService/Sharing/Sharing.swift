import Logging
import ReorderEngine
import ReorderStore
import Synchronization

/// The parts of the service for a store that other servers also write.
final class Sharing: Sendable {
    let store: any SharedListStore
    /// The state of lists in the store.
    let standings: BatchingLoader<String, Standing>
    /// The lists that contain tasks.
    let holders: BatchingLoader<TaskID, String>
    /// The stored responses.
    let answers: BatchingLoader<AnswerKey, StoredAnswer>
    let lookout: Lookout
    private let suspects = Mutex<Set<TaskID>>([])

    init(
        _ store: any SharedListStore, _ cache: ListCache, _ channels: SharedObjects<ListChannel>,
        _ logger: Logger
    ) {
        self.store = store
        standings = BatchingLoader("standings", logger, isOfLists: true) {
            lists throws(StoreError) in
            try Standing.find(lists, in: store, cache)
        }
        holders = BatchingLoader("holders", logger) { tasks throws(StoreError) in
            try store.lists(holding: tasks)
        }
        answers = BatchingLoader("answers", logger) { keys throws(StoreError) in
            try store.answers(to: keys)
        }
        lookout = Lookout(store, channels, logger)
    }

    /// Stops all threads, and completes the waiting lookups.
    func stop() {
        lookout.stop()
        holders.stop()
        answers.stop()
        standings.stop()
    }

    // MARK: New tasks' ids

    /// Records ids that the store has refused. At least one of them is in another list.
    func suspect(_ tasks: [TaskID]) {
        suspects.withLock { suspects in
            // A forgotten id is refused by the store again, and recorded again.
            if suspects.count > Self.mostSuspects { suspects = [] }
            suspects.formUnion(tasks)
        }
    }

    /// Returns the ids of new tasks that must be looked up before use.
    func suspects(among tasks: [TaskID]) -> [TaskID] {
        suspects.withLock { suspects in
            suspects.isEmpty ? [] : tasks.filter(suspects.contains)
        }
    }

    /// Removes ids from the suspects.
    func clear(_ tasks: [TaskID]) { suspects.withLock { $0.subtract(tasks) } }

    private static let mostSuspects = 100_000
}
