/// The data needed to undo a change: the inverse of each of its operations, and the former
/// neighbors of the tasks and sections.
///
/// It is computed once from the list before the change, and does not keep that list. It needs about
/// 1 KB of memory for each operation, and memory for the texts that the change deleted or replaced.
package struct UndoPlan: Sendable {
    /// An operation of the change, and the state of the list around it.
    struct Step: Sendable {
        var operation: ListOperation
        /// The operations that undo `operation` on the list directly after it.
        var inverse: [ListOperation]
        /// For a move or a deletion, the siblings directly before and after the task or section;
        /// nil if it was the first or the last one.
        var previous: String?
        var next: String?
    }

    /// In the order of the change.
    let steps: [Step]
    /// The number of operations; a deletion counts once for each task of the subtree.
    package let operationCount: Int

    /// Replays a change, and records the data for undoing it.
    ///
    /// O(log n) for each operation and each task of a deleted subtree. If the caller does not keep
    /// `before`, it is changed in place instead of copied.
    ///
    /// - Parameters:
    ///   - operations: the change in normal form.
    ///   - before: the list before the change.
    ///   - limit: the maximum `operationCount`.
    ///   - shouldContinue: called before each operation.
    /// - Throws: `tooLarge`, `interrupted` or `replaced`. `replaced` is also thrown if the
    ///   operations do not fit the list.
    package init(
        _ operations: [ListOperation], before: consuming ReorderableList, limit: Int = .max,
        while shouldContinue: () -> Bool = { true }
    ) throws(UndoConflict) {
        var former = before
        var steps: [Step] = []
        guard operations.count <= limit else { throw .tooLarge(limit: limit) }
        steps.reserveCapacity(operations.count)
        var count = 0
        for operation in operations {
            guard shouldContinue() else { throw .interrupted }
            count += former.size(of: operation, atMost: min(limit - count, .max - 1) + 1)
            guard count <= limit else { throw .tooLarge(limit: limit) }
            guard let inverse = try? former.inverse(of: operation) else { throw .replaced }
            let (previous, next) = former.neighbors(of: operation)
            steps.append(
                Step(operation: operation, inverse: inverse, previous: previous, next: next))
            guard (try? former.apply(operation)) != nil else { throw .replaced }
        }
        self.steps = steps
        operationCount = count
    }
}

extension UndoPlan {
    private init(steps: [Step], operationCount: Int) {
        self.steps = steps
        self.operationCount = operationCount
    }

    /// The tasks that come back.
    package var restoredTasks: [TaskID] {
        steps.flatMap(\.inverse).compactMap { operation in
            if case .insert(let task) = operation { task.id } else { nil }
        }
    }

    /// The same plan for a list in which tasks have other ids.
    ///
    /// - Parameter ids: the new ids of some of the tasks.
    package func renamingTasks(_ ids: [TaskID: TaskID]) -> UndoPlan {
        let renamed = steps.map { step in
            var step = step
            step.operation = step.operation.renamingTasks(ids)
            step.inverse = step.inverse.map { $0.renamingTasks(ids) }
            // The neighbors of a section have no new ids.
            switch step.operation {
            case .sectionInsert, .sectionUpdate, .sectionMove, .sectionDelete: return step
            default: break
            }
            step.previous = step.previous.map { ids[$0] ?? $0 }
            step.next = step.next.map { ids[$0] ?? $0 }
            return step
        }
        return UndoPlan(steps: renamed, operationCount: operationCount)
    }
}

extension ReorderableList {
    /// The number of tasks that an operation deletes, at most `most`; 1 for other operations.
    fileprivate func size(of operation: ListOperation, atMost most: Int) -> Int {
        guard case .delete(let task) = operation, let node = table.node(for: task) else { return 1 }
        return forest.preorder(of: node).prefix(most).reduce(0) { count, _ in count + 1 }
    }

    /// The siblings directly before and after the task or section that an operation moves or
    /// deletes.
    fileprivate func neighbors(
        of operation: ListOperation
    ) -> (previous: String?, next: String?) {
        switch operation {
        case .move(let task, _, _, _), .delete(let task):
            neighbors(of: table.node(for: task)) { table.id(of: $0) }
        case .sectionMove(let section, _), .sectionDelete(let section):
            neighbors(of: sectionTable.nodes[section]) { sectionTable.id(of: $0) }
        default: (nil, nil)
        }
    }

    private func neighbors(
        of node: NodeID?, id: (NodeID) -> String?
    ) -> (previous: String?, next: String?) {
        guard let node, let parent = forest.parent(of: node) else { return (nil, nil) }
        let position = forest.position(of: node)
        let hasNext = position + 1 < forest.childCount(of: parent)
        return (
            position > 0 ? id(forest.child(of: parent, at: position - 1)) : nil,
            hasNext ? id(forest.child(of: parent, at: position + 1)) : nil
        )
    }
}
