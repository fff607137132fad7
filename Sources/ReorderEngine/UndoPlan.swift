/// What is needed to undo a change: the inverse of each of its operations, and the neighbors that the
/// tasks and sections had before it.
///
/// It is computed once from the list as it was before the change, and does not keep that list. It takes
/// about 1 KB an operation, and the texts that the change deleted or replaced.
public struct UndoPlan: Sendable {
    /// An operation of the change, and what the list was like where it happened.
    struct Step: Sendable {
        var operation: ListOperation
        /// The operations that undo it on the list directly after it.
        var inverse: [ListOperation]
        /// For a move or a deletion, the siblings directly before and after the task, or after the
        /// section; `previous` is `nil` for the first one.
        var previous: String?
        var next: String?
    }

    /// In the order of the change.
    let steps: [Step]
    /// How many operations the change has; a deletion counts once for each task of the subtree.
    public let operationCount: Int

    /// Replays a change, and notes what undoing it needs.
    ///
    /// O(log n) an operation, and a task of a deleted subtree. The list before the change is changed in
    /// place if the caller gives it away.
    ///
    /// - Parameters:
    ///   - operations: the change's, in normal form.
    ///   - before: the list as it was before the change.
    ///   - limit: the largest `operationCount` that is accepted.
    ///   - shouldContinue: called before each operation.
    /// - Throws: `tooLarge`, `interrupted`, or `replaced`, also if the operations do not fit the list.
    public init(
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

extension ReorderableList {
    /// How many tasks an operation deletes, but not more than `most`; 1 for other operations.
    fileprivate func size(of operation: ListOperation, atMost most: Int) -> Int {
        guard case .delete(let task) = operation, let node = table.node(for: task) else { return 1 }
        return forest.preorder(of: node).prefix(most).reduce(0) { count, _ in count + 1 }
    }

    /// The siblings directly before and after what an operation moves or deletes.
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
