import ReorderEngine

/// The tasks that the operations of a queue name.
struct WaitingTasks: Sendable {
    private(set) var tasks: Set<TaskID> = []
    private var count = 0
    private var first: String?

    /// Follows a change of the queue. O(1) for an operation at its end, else O(operations).
    ///
    /// - Returns: an operation for each task that entered or left the set.
    mutating func follow(_ queue: ArraySlice<PendingOperation>) -> [ListOperation] {
        let isSame = queue.first?.id == first || count == 0
        defer { (count, first) = (queue.count, queue.first?.id) }
        var changed: Set<TaskID> = []
        if isSame, queue.count >= count {
            for operation in queue.suffix(queue.count - count) {
                for task in operation.intent.tasks where tasks.insert(task).inserted {
                    changed.insert(task)
                }
            }
        } else {
            let former = tasks
            tasks = Set(queue.lazy.flatMap(\.intent.tasks))
            changed = former.symmetricDifference(tasks)
        }
        return changed.map { .update(task: $0, set: TaskUpdate()) }
    }
}
