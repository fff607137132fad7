import Dispatch
import ReorderEngine
import ReorderStore
import Synchronization

/// What a service needs where other servers write its store too.
final class Sharing: Sendable {
    let store: any SharedListStore
    /// Where lists stand.
    let standings: SharedQuestions<String, Standing>
    /// Which lists hold tasks.
    let holders: SharedQuestions<String, String>
    /// What was answered before.
    let answers: SharedQuestions<AnswerKey, StoredAnswer>
    let lookout: Lookout
    private let suspects = Mutex<Set<TaskID>>([])

    /// - Parameter tell: told what the store refuses, and one of the lists that it was asked about, or "?": once
    ///   for all who wait for the same answer, to whom it is `unavailable`.
    init(
        _ store: any SharedListStore, _ cache: ListCache, _ channels: SharedObjects<ListChannel>,
        tell: @escaping @Sendable (StoreError, _ list: String) -> Void
    ) {
        self.store = store
        standings = SharedQuestions("standings") { lists throws(StoreError) in
            try Self.asking(lists.first, tell) { () throws(StoreError) in
                try Standing.find(lists, in: store, cache)
            }
        }
        holders = SharedQuestions("holders") { tasks throws(StoreError) in
            try Self.asking(nil, tell) { () throws(StoreError) in
                try store.lists(holding: tasks)
            }
        }
        answers = SharedQuestions("answers") { keys throws(StoreError) in
            // Their owners may be tasks.
            try Self.asking(nil, tell) { () throws(StoreError) in try store.answers(to: keys) }
        }
        lookout = Lookout(store, channels) { tell($0, "?") }
    }

    private static func asking<Value>(
        _ list: String?, _ tell: (StoreError, _ list: String) -> Void,
        _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            guard case .failed(let reason) = error else { throw error }
            tell(error, list ?? "?")
            throw .unavailable(reason: reason)
        }
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
