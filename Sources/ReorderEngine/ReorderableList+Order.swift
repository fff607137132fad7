/// New orders of siblings, and the removal of done tasks.
extension ReorderableList {
    /// The sections, or the task, whose children are the top of a scope.
    ///
    /// - Throws: `sectionNotFound` or `taskNotFound` if the place does not exist.
    private func tops(of scope: TaskScope) throws(Refusal) -> [NodeID] {
        switch scope.root {
        case .list: return Array(forest.children(of: Forest.root))
        case .section(let section):
            guard let node = sectionTable.node(for: section) else {
                throw .sectionNotFound(section ?? "")
            }
            return [node]
        case .subtasks(let task): return [try taskNode(task)]
        }
    }

    /// The number of tasks that `reorder` compares. Counting stops above the limit. O(limit + sections).
    package func taskCount(in scope: TaskScope, upTo limit: Int) throws(Refusal) -> Int {
        var count = 0
        for top in try tops(of: scope) where count <= limit {
            count +=
                scope.isTopOnly
                ? forest.childCount(of: top) : nodeCount(under: top, upTo: limit + 1) - 1
        }
        return count
    }

    /// Gives siblings another order. Locked rows keep their places.
    ///
    /// The operations are moves, and as few as possible: those siblings stay that are in the right order already.
    /// O(n log n) for n tasks of the scope.
    ///
    /// - Parameter order: returns the new order of tasks, as their indices in the given order.
    /// - Throws: `sectionNotFound` or `taskNotFound` if the place of the scope does not exist.
    package mutating func reorder(
        _ scope: TaskScope, by order: ([TaskContent]) -> [Int]
    ) throws(Refusal) -> [ListOperation] {
        let tops = try tops(of: scope)
        // With `isTopOnly` only the top is ordered, otherwise all levels.
        let parents =
            scope.isTopOnly
            ? tops
            : tops.flatMap { top in
                forest.preorder(of: top).filter { forest.childCount(of: $0) > 0 }
            }
        var operations: [ListOperation] = []
        for parent in parents {
            let siblings = Array(forest.children(of: parent))
            let free = siblings.filter { !isLocked($0) }
            var next = order(free.map { content(at: $0) }).map { free[$0] }.makeIterator()
            let target = siblings.map { isLocked($0) ? $0 : next.next() ?? $0 }
            operations += arrange(siblings, as: target)
        }
        return operations
    }

    /// Moves siblings until they have the given order.
    private mutating func arrange(
        _ siblings: [NodeID], as target: [NodeID]
    ) -> [ListOperation] {
        guard siblings != target, let parent = siblings.first.flatMap(forest.parent) else {
            return []
        }
        let staying = staying(siblings, target)
        let (section, task) = (
            sectionTable.id(of: sectionNode(above: parent)),
            isSection(parent) ? nil : table.id(of: parent)
        )
        var operations: [ListOperation] = []
        for (index, node) in target.enumerated() where !staying.contains(node) {
            // After the sibling that precedes it in the new order, which is in its place already.
            var position = index == 0 ? 0 : forest.position(of: target[index - 1]) + 1
            if forest.position(of: node) < position { position -= 1 }
            operations += applyChecked([
                .move(
                    task: table.id(of: node), section: section, parent: task, position: position)
            ])
        }
        return operations
    }

    /// The most siblings that can stay where they are, among them all locked ones.
    private func staying(_ siblings: [NodeID], _ target: [NodeID]) -> Set<NodeID> {
        var places: [NodeID: Int] = [:]
        for (index, node) in target.enumerated() { places[node] = index }
        // Locked rows divide the others. A row can only stay between the same locked rows.
        var staying: Set<NodeID> = []
        var start = 0
        for end in 0...siblings.count {
            let isLocked = end < siblings.count && isLocked(siblings[end])
            guard isLocked || end == siblings.count else { continue }
            let part = siblings[start..<end].filter { (start..<end).contains(places[$0] ?? -1) }
            for index in longestIncreasingSubsequence(of: part.map { places[$0] ?? 0 }) {
                staying.insert(part[index])
            }
            if isLocked { staying.insert(siblings[end]) }
            start = end + 1
        }
        return staying
    }

    // MARK: Removal

    /// Deletes the done tasks whose subtasks are all done. Tasks with a locked row stay. O(tasks of the scope) for each level.
    ///
    /// - Parameter scope: its levels below the top are included.
    /// - Throws: `sectionNotFound` or `taskNotFound` if the place of the scope does not exist.
    package mutating func removeDone(_ scope: TaskScope) throws(Refusal) -> DeleteOutcome {
        var outcome = DeleteOutcome(operations: [], deleted: [])
        for top in try tops(of: scope) {
            var stack = Array(forest.children(of: top).reversed())
            while let node = stack.popLast() {
                let subtree = Array(forest.preorder(of: node))
                if subtree.allSatisfy({ table.isDone($0) }), !holdsLocked(node) {
                    let task = table.id(of: node)
                    outcome.deleted += subtree.map { table.id(of: $0) }
                    outcome.operations += applyChecked([.delete(task: task)])
                } else {
                    stack += forest.children(of: node).reversed()
                }
            }
        }
        return outcome
    }
}
