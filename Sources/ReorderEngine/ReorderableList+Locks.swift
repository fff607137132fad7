/// The rules of `elementsOffset` and of `locked` tasks.
///
/// `elementsOffset: n` locks the top-level tasks number 0 to n − 1, counted through the sections. So
/// a check compares numbers, and walks over nothing.
extension ReorderableList {
    /// Whether the task itself may neither be moved nor deleted. O(log n); O(1) without an
    /// `elementsOffset`.
    func isLocked(_ node: NodeID) -> Bool {
        if table.isLocked(node) { return true }
        guard settings.elementsOffset > 0, let parent = forest.parent(of: node), isSection(parent)
        else { return false }
        let number = topLevelTasks(before: parent) + forest.position(of: node)
        return number < settings.elementsOffset
    }

    /// Whether something that comes to stand at a position would displace a locked row. O(log n);
    /// O(1) without an `elementsOffset`.
    ///
    /// - Parameter position: counted without what moves. Nothing that moves is locked, so it stands
    ///   behind all locked rows, and the numbers of those are the same with it and without it.
    func displacesLocked(in parent: NodeID, at position: Int) -> Bool {
        guard settings.elementsOffset > 0, isSection(parent) else { return false }
        let number = topLevelTasks(before: parent) + position
        return number < min(settings.elementsOffset, topLevelTaskCount)
    }

    /// Whether a section's move to another index would displace a locked row. O(log n).
    ///
    /// The section's tasks change places with those of the sections that it passes. Nothing is
    /// displaced if there are none of the one or the other, or if all of them stand behind the
    /// locked rows.
    ///
    /// - Parameter position: the index among the sections, counted without the one that moves.
    func displacesLocked(movingSection node: NodeID, to position: Int) -> Bool {
        let own = forest.childCount(of: node)
        let current = sectionPosition(of: node)
        guard settings.elementsOffset > 0, own > 0, position != current else { return false }
        let start = topLevelTasks(before: node)
        // The farthest of the sections that are passed.
        let other = forest.child(of: Forest.root, at: position + 1)
        let otherStart = topLevelTasks(before: other)
        if position < current {
            return otherStart < start && otherStart < settings.elementsOffset
        }
        let passed = otherStart + forest.childCount(of: other) - (start + own)
        return passed > 0 && start < settings.elementsOffset
    }

    /// Whether a subtree can't be deleted: it holds a locked row. O(tasks of the subtree).
    func holdsLocked(_ node: NodeID) -> Bool {
        isLocked(node) || forest.preorder(of: node).contains { table.isLocked($0) }
    }
}
