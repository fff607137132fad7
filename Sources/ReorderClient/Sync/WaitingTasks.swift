import ReorderEngine

/// The tasks that the operations of a queue name.
struct WaitingTasks: Sendable {
    private(set) var tasks: Set<TaskID> = []
    /// The number of operations that name each of them.
    private var counts: [TaskID: Int] = [:]
    /// The queue as it was followed last.
    private var followed: [(id: String, tasks: [TaskID])] = []

    /// Follows a change of the queue. Operations join it at its end: O(1) for each of them, and for each one that leaves it at its front;
    /// else O(operations).
    ///
    /// - Returns: an operation for each task that entered or left the set.
    mutating func follow(_ queue: ArraySlice<PendingOperation>) -> [ListOperation] {
        var gone = followed.firstIndex { $0.id == queue.first?.id } ?? followed.count
        let kept = queue.prefix(followed.count - gone)
        if kept.count < followed.count - gone || kept.last?.id != followed.last?.id {
            gone = followed.count
        }
        let joining = queue.dropFirst(followed.count - gone)
        var changed: Set<TaskID> = []
        for task in followed.prefix(gone).lazy.flatMap(\.tasks) {
            counts[task, default: 0] -= 1
            guard counts[task] == 0 else { continue }
            counts[task] = nil
            tasks.remove(task)
            changed.insert(task)
        }
        followed.removeFirst(gone)
        for operation in joining {
            let named = operation.command.tasks
            followed.append((operation.id, named))
            for task in named {
                counts[task, default: 0] += 1
                guard tasks.insert(task).inserted else { continue }
                // It may have left above.
                if changed.remove(task) == nil { changed.insert(task) }
            }
        }
        return changed.map { .update(task: $0, set: TaskUpdate()) }
    }
}
