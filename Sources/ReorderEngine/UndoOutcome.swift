/// The result of undoing a change.
package struct UndoOutcome: Sendable, Equatable {
    /// The new change in normal form; empty if the list has its former state already.
    package var operations: [ListOperation]
    /// The tasks that were moved, changed or inserted again.
    package var tasks: [TaskID]
    /// Those of `tasks` that were inserted again.
    package var inserted: [TaskID]
    /// The tasks that were deleted.
    package var deleted: [TaskID]
}

extension UndoOutcome {
    init(
        _ operations: [ListOperation], from before: ReorderableList, to after: ReorderableList
    ) {
        self.init(operations: operations, tasks: [], inserted: [], deleted: [])
        var seen: Set<TaskID> = []
        for operation in operations {
            switch operation {
            case .move(let task, _, _, _), .update(let task, _), .collapse(let task, _):
                note(task, &seen, before, after)
            case .insert(let task): note(task.id, &seen, before, after)
            case .delete(let task):
                if let node = before.table.node(for: task) {
                    for one in before.forest.preorder(of: node) {
                        note(before.table.id(of: one), &seen, before, after)
                    }
                }
                note(task, &seen, before, after)
            default: break
            }
        }
    }

    private mutating func note(
        _ task: TaskID, _ seen: inout Set<TaskID>, _ before: ReorderableList,
        _ after: ReorderableList
    ) {
        guard seen.insert(task).inserted else { return }
        let (was, stays) = (before.contains(task), after.contains(task))
        if stays { tasks.append(task) }
        if stays, !was { inserted.append(task) }
        if was, !stays { deleted.append(task) }
    }
}
