import ReorderEngine
import Synchronization

/// The ids of new tasks that a shared store has refused: at least one of them is in another list.
/// Only these are looked up before use. Otherwise each insertion would wait for the store.
final class RefusedIDs: Sendable {
    private let ids = Mutex<Set<TaskID>>([])

    func insert(_ tasks: [TaskID]) {
        ids.withLock { ids in
            // It is safe to forget ids: the store refuses them again, and they are recorded again.
            if ids.count > Self.maximumCount { ids = [] }
            ids.formUnion(tasks)
        }
    }

    /// Those of the tasks that must be looked up before use.
    func among(_ tasks: [TaskID]) -> [TaskID] {
        ids.withLock { ids in ids.isEmpty ? [] : tasks.filter(ids.contains) }
    }

    func remove(_ tasks: [TaskID]) { ids.withLock { $0.subtract(tasks) } }

    private static let maximumCount = 100_000
}
