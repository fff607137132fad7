extension RowLayout {
    /// The levels at which the tasks can be dropped in a gap; nil if there is none, or if the list
    /// has no such gap.
    ///
    /// It considers the limits on levels and, if the list only allows moves among siblings, the tasks'
    /// parent and section. It does not consider locked rows, and not whether the section or the
    /// parent is full.
    public func levels(at gap: Gap) -> ClosedRange<Int>? {
        guard let section = list.sectionTable.node(for: gap.section),
            rows(in: section).contains(gap.row)
        else { return nil }
        let neighbors = neighbors(of: gap.row, in: section)
        let highest = min(neighbors.levels.upperBound, highestLevel)
        guard neighbors.levels.lowerBound <= highest else { return nil }
        guard list.settings.moves == .siblings else { return neighbors.levels.lowerBound...highest }
        guard neighbors.levels.contains(depth) else { return nil }
        let parent = insertionPoint(beside: neighbors, level: depth).parent
        let isAmongSiblings = roots.allSatisfy { list.forest.parent(of: $0) == parent }
        return isAmongSiblings && !roots.isEmpty ? depth...depth : nil
    }

    /// The ids that describe a drop: the sibling above, the sibling below, and the place among the
    /// siblings. They keep their meaning when the list changes.
    ///
    /// - Parameter level: nil means the lowest depth of the tasks, or the nearest that is possible.
    /// - Throws: `anchorGone` if the section does not exist; `rowNotInSection`; `levelNotPossible`.
    package func destination(at gap: Gap, level: Int? = nil) throws(Refusal) -> Destination {
        try destination(RowDestination(.rowInSection(gap.row, gap.section), level: level))
    }

    /// The ids that describe a drop at a target.
    ///
    /// - Throws: `anchorGone` if the section does not exist; `rowNotInSection`; `levelNotPossible`.
    package func destination(_ rows: RowDestination) throws(Refusal) -> Destination {
        let point = try insertionPoint(at: rows)
        let forest = list.forest
        var destination = Destination()
        // Positions count all children here, and only those that stay in the insertion point.
        var position = 0
        if let sibling = point.sibling {
            destination.after = list.table.id(of: sibling)
            position = forest.position(of: sibling) + 1
        }
        let count = forest.childCount(of: point.parent)
        while position < count, destination.before == nil {
            let child = forest.child(of: point.parent, at: position)
            if !roots.contains(child) { destination.before = list.table.id(of: child) }
            position += 1
        }
        let siblings: Destination.Siblings =
            list.isSection(point.parent)
            ? .section(list.sectionTable.id(of: point.parent))
            : .subtasks(of: list.table.id(of: point.parent))
        destination.place = Destination.Place(siblings, position: point.position)
        return destination
    }

    // MARK: Nodes

    /// A place among siblings.
    struct Point {
        var parent: NodeID
        /// The sibling directly above; nil for the first place.
        var sibling: NodeID?
        /// The number of staying siblings above.
        var position: Int
    }

    /// The place of a drop among siblings.
    ///
    /// - Throws: `anchorGone` if the section does not exist; `rowNotInSection`; `levelNotPossible`.
    func insertionPoint(at rows: RowDestination) throws(Refusal) -> Point {
        let (section, row) = try place(of: rows.target)
        let neighbors = neighbors(of: row, in: section)
        let levels = neighbors.levels
        if let level = rows.level, !levels.contains(level) {
            throw .levelNotPossible(level, levels: levels)
        }
        let nearest = max(levels.lowerBound, min(depth, levels.upperBound, highestLevel))
        return insertionPoint(beside: neighbors, level: rows.level ?? nearest)
    }

    private struct Neighbors {
        /// The section, the ancestors and the node of the row above in the section; only the section
        /// if there is none.
        var path: [NodeID]
        var levels: ClosedRange<Int>
    }

    private func neighbors(of row: Int, in section: NodeID) -> Neighbors {
        let rows = rows(in: section)
        let lowest = row < rows.upperBound ? path(toStaying: row).count - 2 : 0
        guard row > rows.lowerBound else { return Neighbors(path: [section], levels: 0...0) }
        let path = path(toStaying: row - 1)
        let depth = path.count - 2
        let highest = list.forest.isCollapsed(path[path.count - 1]) ? depth : depth + 1
        return Neighbors(path: path, levels: lowest...highest)
    }

    /// - Parameter level: one of the neighbors' levels.
    private func insertionPoint(beside neighbors: Neighbors, level: Int) -> Point {
        let parent = neighbors.path[level]
        guard neighbors.path.count > level + 1 else {
            return Point(parent: parent, sibling: nil, position: 0)
        }
        let sibling = neighbors.path[level + 1]
        let position = list.forest.position(of: sibling)
        let leaving = roots.count(leaving: parent, before: position, in: list.forest)
        return Point(parent: parent, sibling: sibling, position: position - leaving + 1)
    }
}
