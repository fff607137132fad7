/// The limits that a list sets itself: `maxDepth`, `maxTasksPerSection` (or a section's own `maxTasks`) and
/// `tasksPerParent`.
///
/// A limit refuses what makes an excess worse, and never what puts back. A list can exceed a limit that
/// was set later: a task can leave, get another place among its siblings, and move to a place that is not
/// deeper. An undo, and a document of the list, are not refused. Each check costs O(1) without a limit.
extension ReorderableList {
    /// Checks a move in this list: no task gets deeper than it was and below `maxDepth`, and there
    /// is room for the tasks that get another parent or section. O(log n) for each root.
    ///
    /// - Throws: `maxDepth`, then `sectionFull` or `parentFull`.
    func checkLimits(moving roots: SubtreeRoots, into parent: NodeID) throws(Refusal) {
        guard checksLimits else { return }
        if let limit = settings.maxDepth {
            let level = depth(of: parent) + 1
            for root in roots where level > highestLevel(of: root, below: limit) {
                throw .maxDepth
            }
        }
        let staying = roots.count(leaving: parent, in: forest)
        try checkRoom(for: roots.count - staying, in: parent)
    }

    /// Checks an addition of tasks, which can have subtasks. O(log n).
    ///
    /// - Parameters:
    ///   - levels: the number of levels of the highest subtree.
    ///   - mostSubtasks: the most direct subtasks that an added task has.
    /// - Throws: `maxDepth`, then `sectionFull` or `parentFull`.
    func checkLimits(
        adding count: Int, levels: Int, to parent: NodeID, mostSubtasks: Int = 0
    ) throws(Refusal) {
        guard checksLimits else { return }
        if let limit = settings.maxDepth, depth(of: parent) + 1 + levels > limit {
            throw .maxDepth
        }
        try checkRoom(for: count, in: parent)
        if let limit = settings.tasksPerParent, mostSubtasks > limit {
            throw .parentFull
        }
    }

    /// The most direct subtasks of a task in the subtrees, if `list` limits them; else 0. O(tasks of
    /// the subtrees).
    func mostSubtasks(in roots: some Sequence<NodeID>, for list: ReorderableList) -> Int {
        guard list.settings.tasksPerParent != nil else { return 0 }
        var most = 0
        for root in roots {
            for node in forest.preorder(of: root) { most = max(most, forest.childCount(of: node)) }
        }
        return most
    }

    /// - Parameter always: whether to check also if no task arrives.
    private func checkRoom(
        for arriving: Int, in parent: NodeID, always: Bool = false
    ) throws(Refusal) {
        guard arriving > 0 || always else { return }
        if isSection(parent) {
            guard let limit = taskLimit(of: parent),
                forest.childCount(of: parent) + arriving > limit
            else { return }
            throw .sectionFull
        }
        if let limit = settings.tasksPerParent, forest.childCount(of: parent) + arriving > limit {
            throw .parentFull
        }
    }

    /// Checks a document that replaces another one: nothing is beyond a limit that was not as far beyond it
    /// before. O(tasks), or O(1) without limits.
    ///
    /// - Throws: `maxDepth`, `sectionFull` or `parentFull`.
    package func checkLimits(replacing former: ReorderableList) throws(Refusal) {
        guard hasLimits else { return }
        for node in forest.preorder(of: Forest.root) where node != Forest.root {
            let count = forest.childCount(of: node)
            guard forest.isRow(node) else {
                guard let limit = taskLimit(of: node), count > limit,
                    count > former.childCount(likeThatOf: node, in: self)
                else { continue }
                throw .sectionFull
            }
            if let limit = settings.tasksPerParent, count > limit,
                count > former.childCount(likeThatOf: node, in: self)
            {
                throw .parentFull
            }
            if let limit = settings.maxDepth, case let level = depth(of: node), level >= limit,
                level > former.table.node(for: table.id(of: node)).map(former.depth(of:)) ?? -1
            {
                throw .maxDepth
            }
        }
    }

    /// Whether the settings or a section have a limit. O(sections).
    package var hasLimits: Bool {
        settings.maxDepth != nil || settings.maxTasksPerSection != nil
            || settings.tasksPerParent != nil
            || sectionTable.records.values.contains { $0.maxTasks != nil }
    }

    /// The most tasks at the top level of a section; nil if they are not limited, as those without a section.
    private func taskLimit(of section: NodeID) -> Int? {
        guard section != sectionTable.unsectioned else { return nil }
        return sectionLimit(at: section) ?? settings.maxTasksPerSection
    }

    /// The number of children of the task or section with the id that a node has in another list; 0 if
    /// there is none.
    private func childCount(likeThatOf node: NodeID, in other: ReorderableList) -> Int {
        let own =
            other.forest.isRow(node)
            ? table.node(for: other.table.id(of: node))
            : sectionTable.node(for: other.sectionTable.id(of: node))
        return own.map { forest.childCount(of: $0) } ?? 0
    }

    /// Whether a part of a step has left enough room, at the end of the step. Inside a step, tasks may
    /// arrive before others leave. O(1) for each operation.
    ///
    /// - Parameters:
    ///   - operations: those of the part.
    ///   - former: the list before the step.
    package func hasRoom(
        after operations: [ListOperation], since former: ReorderableList
    ) -> Bool {
        operations.allSatisfy { operation in
            let parent: NodeID?
            switch operation {
            case .move(_, let section, let above, _):
                parent = parentNode(section: section, parent: above)
            case .insert(let task):
                parent = parentNode(
                    section: task.placement.section, parent: task.placement.parent)
            default: return true
            }
            guard let parent,
                forest.childCount(of: parent) > former.childCount(likeThatOf: parent, in: self)
            else { return true }
            return (try? checkRoom(for: 0, in: parent, always: true)) != nil
        }
    }

    // MARK: Levels

    /// The highest level that the limits on levels allow for tasks of this list. O(log n) for each
    /// root.
    func highestLevel(moving roots: SubtreeRoots) -> Int {
        roots.reduce(Self.maximumLevels - 1) { highest, root in
            let own = Self.maximumLevels - forest.height(of: root)
            guard let limit = settings.maxDepth else { return min(highest, own) }
            return min(highest, own, highestLevel(of: root, below: limit))
        }
    }

    /// The highest level that the limits on levels allow for tasks of another list. O(log n) for
    /// each root.
    func highestLevel(receiving roots: SubtreeRoots, from other: ReorderableList) -> Int {
        let levels = min(Self.maximumLevels, settings.maxDepth ?? Self.maximumLevels)
        return roots.reduce(levels - 1) { min($0, levels - other.forest.height(of: $1)) }
    }

    /// The highest level that `maxDepth` allows for a task: at least the level that it has.
    private func highestLevel(of root: NodeID, below limit: Int) -> Int {
        max(depth(of: root), limit - forest.height(of: root))
    }
}
