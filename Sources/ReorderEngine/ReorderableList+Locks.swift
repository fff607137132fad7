/// The rules of `elementsOffset` and of `locked` tasks.
///
/// `elementsOffset: n` locks the top-level tasks number 0 to n − 1, counted across the sections. So
/// a check only compares numbers.
extension ReorderableList {
    /// Whether the task itself must not be moved or deleted. O(log n); O(1) without an
    /// `elementsOffset`.
    func isLocked(_ node: NodeID) -> Bool {
        if table.isLocked(node) { return true }
        guard settings.elementsOffset > 0, let parent = forest.parent(of: node), isSection(parent)
        else { return false }
        let number = topLevelTasks(before: parent) + forest.position(of: node)
        return number < settings.elementsOffset
    }

    /// Whether an insertion at a position would displace a locked row. O(log n); O(1) without an
    /// `elementsOffset`.
    ///
    /// - Parameter position: counted without the moved tasks. Moved tasks are not locked, so they
    ///   come after all locked rows and do not affect their numbers.
    func displacesLocked(in parent: NodeID, at position: Int) -> Bool {
        guard settings.elementsOffset > 0, isSection(parent) else { return false }
        let number = topLevelTasks(before: parent) + position
        return number < min(settings.elementsOffset, topLevelTaskCount)
    }

    /// Whether moving a section to another index would displace a locked row. O(log n).
    ///
    /// The section's tasks swap places with those of the sections between the indices. No locked
    /// row is displaced if one of the two groups has no tasks, or if both groups are after the
    /// locked rows.
    ///
    /// - Parameter position: the index among the other sections.
    func displacesLocked(movingSection node: NodeID, to position: Int) -> Bool {
        let own = forest.childCount(of: node)
        let current = sectionPosition(of: node)
        guard settings.elementsOffset > 0, own > 0, position != current else { return false }
        let start = topLevelTasks(before: node)
        // The last section that the moved section passes.
        let other = forest.child(of: Forest.root, at: position + 1)
        let otherStart = topLevelTasks(before: other)
        if position < current {
            return otherStart < start && otherStart < settings.elementsOffset
        }
        let passed = otherStart + forest.childCount(of: other) - (start + own)
        return passed > 0 && start < settings.elementsOffset
    }

    /// Whether a subtree can't be deleted because it contains a locked row. O(tasks of the
    /// subtree).
    func holdsLocked(_ node: NodeID) -> Bool {
        isLocked(node) || forest.preorder(of: node).contains { table.isLocked($0) }
    }
}
