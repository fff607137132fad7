/// The limits that a list sets itself: `maxDepth`, `maxTasksPerSection` and `tasksPerParent`.
///
/// A list can exceed a limit that was set later. Then only what adds to the excess is refused: a
/// task can leave, get another place among its siblings, and move to a place that is not deeper.
/// Each check costs O(1) without a limit.
extension ReorderableList {
    /// Checks a move in this list: no task gets deeper than it was and below `maxDepth`, and there
    /// is room for the tasks that get another parent or section. O(log n) for each root.
    ///
    /// - Throws: `maxDepth`, then `sectionFull` or `parentFull`.
    func checkLimits(moving roots: SubtreeRoots, into parent: NodeID) throws(Refusal) {
        if let limit = settings.maxDepth {
            let level = depth(of: parent) + 1
            for root in roots where level > highestLevel(of: root, below: limit) {
                throw .maxDepth
            }
        }
        guard settings.maxTasksPerSection != nil || settings.tasksPerParent != nil else { return }
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

    private func checkRoom(for arriving: Int, in parent: NodeID) throws(Refusal) {
        guard arriving > 0 else { return }
        if isSection(parent) {
            guard let limit = settings.maxTasksPerSection, parent != sectionTable.unsectioned,
                forest.childCount(of: parent) + arriving > limit
            else { return }
            throw .sectionFull
        }
        if let limit = settings.tasksPerParent, forest.childCount(of: parent) + arriving > limit {
            throw .parentFull
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
