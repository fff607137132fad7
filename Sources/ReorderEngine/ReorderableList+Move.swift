extension ReorderableList {
    /// Moves tasks with their subtrees.
    ///
    /// Checked in this order: the tasks exist, a destination is left that is not inside them, they
    /// are not locked, siblings stay siblings where the list says so, nothing comes to stand deeper
    /// than 16 levels, no locked row is displaced. A move to where the tasks already are changes
    /// nothing.
    ///
    /// O(log n) a task named, whatever their subtrees hold; O(number of sections) more on a list with
    /// an `elementsOffset`.
    ///
    /// - Throws: the first of these that fails; the list is as it was.
    public mutating func move(_ request: MoveRequest) throws(Refusal) -> MoveOutcome {
        let named = try nodes(named: request.subject)
        let roots = Roots(of: named, in: self)
        let target = try resolve(request.destination, for: roots)

        guard !roots.nodes.contains(where: { isLocked($0) }) else { throw .locked }

        var outcome = MoveOutcome(
            operations: [], tasks: named.map { table.id(of: $0) },
            from: named.map { placement(at: $0) }, placedBy: target.placedBy, collapsed: [])
        guard let gap = target.gap else { return outcome }

        if settings.moves == .siblings {
            guard roots.nodes.allSatisfy({ forest.parent(of: $0) == gap.parent }) else {
                throw .notSiblings
            }
        }
        let depth = depth(of: gap.parent) + 1
        for root in roots.nodes where forest.parent(of: root) != gap.parent {
            guard depth + forest.height(of: root) <= Self.maximumLevels else { throw .depthLimit }
        }
        guard !displacesLocked(in: gap.parent, at: gap.position) else { throw .locked }

        let collapsing = settings.collapseSubElements ? roots.nodes.filter(showsSubtasks) : []
        let moves = place(roots.nodes, in: gap)
        guard !moves.isEmpty else { return outcome }

        for node in collapsing {
            let task = table.id(of: node)
            forest.setCollapsed(node, true)
            outcome.collapsed.append(task)
            outcome.operations.append(.collapse(task: task, collapsed: true))
        }
        outcome.operations += moves
        assertInvariants()
        return outcome
    }

    /// Where something is to be inserted: before the child that has this position among the
    /// children that do not move.
    struct Gap {
        var parent: NodeID
        var position: Int
    }

    /// Moves the nodes one after another into the gap; those already in place are left alone.
    ///
    /// While the first ones move, the later ones may still stand among the siblings. So each goes
    /// directly after the one before it, and the first one after the sibling before the gap.
    private mutating func place(_ nodes: [NodeID], in gap: Gap) -> [ListOperation] {
        var operations: [ListOperation] = []
        var previous = sibling(before: gap, ignoring: Set(nodes))
        for node in nodes {
            let position = previous.map { forest.position(of: $0) + 1 } ?? 0
            previous = node
            if forest.parent(of: node) == gap.parent {
                let current = forest.position(of: node)
                let counted = current < position ? position - 1 : position
                if current == counted { continue }
                move(node, into: gap.parent, at: counted, recording: &operations)
            } else {
                move(node, into: gap.parent, at: position, recording: &operations)
            }
        }
        return operations
    }

    private mutating func move(
        _ node: NodeID, into parent: NodeID, at position: Int, recording: inout [ListOperation]
    ) {
        forest.move(node, into: parent, at: position)
        let isTopLevel = isSection(parent)
        recording.append(
            .move(
                task: table.id(of: node), section: sectionTable.id(of: sectionNode(above: parent)),
                parent: isTopLevel ? nil : table.id(of: parent), position: position))
    }

    /// The child that stands just before a gap, of those that do not move.
    ///
    /// A position among the children that stay is turned into one among all of them by stepping
    /// over those that move: O(number of those that move).
    private func sibling(before gap: Gap, ignoring moving: Set<NodeID>) -> NodeID? {
        guard gap.position > 0 else { return nil }
        var index = gap.position - 1
        for position in moving.lazy.filter({ forest.parent(of: $0) == gap.parent })
            .map({ forest.position(of: $0) }).sorted() where position <= index
        {
            index += 1
        }
        return forest.child(of: gap.parent, at: index)
    }

    private func showsSubtasks(_ node: NodeID) -> Bool {
        forest.visibleDescendants(of: node) > 0 && !isHidden(node)
    }

    /// Whether an ancestor is collapsed.
    func isHidden(_ node: NodeID) -> Bool {
        var node = node
        while let parent = forest.parent(of: node) {
            if forest.isCollapsed(parent) { return true }
            node = parent
        }
        return false
    }
}
