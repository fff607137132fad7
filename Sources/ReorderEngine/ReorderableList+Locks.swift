/// The rules of `elementsOffset` and of `locked` tasks.
extension ReorderableList {
    /// Where the locked prefix of the top level ends: its last task's section and position.
    ///
    /// `nil` where nothing is locked. O(number of sections), O(1) without an `elementsOffset`.
    struct LockedPrefix {
        var sectionIndex: Int
        /// The position of the last locked task in that section.
        var position: Int
    }

    var lockedPrefix: LockedPrefix? {
        var left = settings.elementsOffset
        guard left > 0 else { return nil }
        var last: LockedPrefix?
        for (index, section) in sectionNodes.enumerated() {
            let count = forest.childCount(of: section)
            guard count > 0 else { continue }
            last = LockedPrefix(sectionIndex: index, position: min(left, count) - 1)
            left -= count
            if left <= 0 { break }
        }
        return last
    }

    /// Whether the task itself may neither be moved nor deleted.
    func isLocked(_ node: NodeID) -> Bool {
        if table.isLocked(node) { return true }
        guard let parent = forest.parent(of: node), isSection(parent), let prefix = lockedPrefix
        else { return false }
        let section = forest.position(of: parent)
        return section < prefix.sectionIndex
            || section == prefix.sectionIndex && forest.position(of: node) <= prefix.position
    }

    /// Whether something that comes to stand at a position would displace a locked row.
    ///
    /// - Parameter position: counted without what moves; no locked row ever moves, so positions of
    ///   locked rows are the same counted either way.
    func displacesLocked(in parent: NodeID, at position: Int) -> Bool {
        guard isSection(parent), let prefix = lockedPrefix else { return false }
        let section = forest.position(of: parent)
        return section < prefix.sectionIndex
            || section == prefix.sectionIndex && position <= prefix.position
    }

    /// Whether a subtree can't be deleted: it holds a locked row. O(tasks of the subtree).
    func holdsLocked(_ node: NodeID) -> Bool {
        isLocked(node) || forest.preorder(of: node).contains { table.isLocked($0) }
    }

    /// The first top-level tasks that `elementsOffset` locks, in order.
    var lockedTopLevel: [NodeID] {
        var locked: [NodeID] = []
        guard settings.elementsOffset > 0 else { return locked }
        for section in sectionNodes {
            for task in forest.children(of: section) {
                guard locked.count < settings.elementsOffset else { return locked }
                locked.append(task)
            }
        }
        return locked
    }
}
