import Logging
import ReorderEngine
import ReorderStore
import Synchronization

/// What a service needs if other servers write its store too.
final class Sharing: Sendable {
    let store: any SharedListStore
    /// Where lists stand.
    let standings: BatchingLoader<String, Standing>
    /// Which lists hold tasks.
    let holders: BatchingLoader<TaskID, String>
    /// Stored responses.
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

    /// Ends all questions; what still waits is answered.
    func stop() {
        lookout.stop()
        holders.stop()
        answers.stop()
        standings.stop()
    }

    // MARK: New tasks' ids

    /// Notes ids that the store has refused, one of them at least being another list's.
    func suspect(_ tasks: [TaskID]) {
        suspects.withLock { suspects in
            // To forget some is to have them refused once more.
            if suspects.count > Self.mostSuspects { suspects = [] }
            suspects.formUnion(tasks)
        }
    }

    /// Of new tasks' ids those that have to be looked up before they are used.
    func suspects(among tasks: [TaskID]) -> [TaskID] {
        suspects.withLock { suspects in
            suspects.isEmpty ? [] : tasks.filter(suspects.contains)
        }
    }

    /// Takes back a suspicion.
    func clear(_ tasks: [TaskID]) { suspects.withLock { $0.subtract(tasks) } }

    private static let mostSuspects = 100_000
}
