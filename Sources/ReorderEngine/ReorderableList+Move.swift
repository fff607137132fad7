extension ReorderableList {
    /// Moves tasks with their subtrees.
    ///
    /// Checks in this order: the tasks exist; a destination exists outside their subtrees; the
    /// tasks are not locked; the tasks stay among their siblings if the list requires it; no task
    /// gets below the sixteenth level; the list's limits allow it; no locked row is displaced. A
    /// move to the current place changes nothing.
    ///
    /// O(log n) for each named task, regardless of the size of its subtree.
    ///
    /// - Throws: the first failed check; the list is not changed then.
    package mutating func move(_ request: MoveRequest) throws(Refusal) -> MoveOutcome {
        if let folds = request.folds { return try move(request, withFolds: folds) }
        let subject = try resolve(request.subject)
        let roots = subject.roots
        let target = try resolve(request.destination, for: roots)
        for root in roots where isLocked(root) { throw .locked }

        var outcome = MoveOutcome(
            operations: [], tasks: subject.tasks, placedBy: target.placedBy, collapsed: [])
        guard let gap = target.gap else { return outcome }

        try checkSiblingsAndDepth(of: roots, into: gap.parent)
        if !request.destination.isUndo { try checkLimits(moving: roots, into: gap.parent) }
        guard !displacesLocked(in: gap.parent, at: gap.position) else { throw .locked }

        let folding = settings.collapseSubElements ? roots.filter(showsSubtasks) : []
        let moves = place(subject, in: gap)
        guard !moves.isEmpty else { return outcome }

        for node in folding {
            let task = table.id(of: node)
            forest.setCollapsed(node, true)
            noteChange(of: node)
            outcome.collapsed.append(task)
            outcome.operations.append(.collapse(task: task, collapsed: true))
        }
        if outcome.operations.isEmpty {
            outcome.operations = moves
        } else {
            outcome.operations += moves
        }
        for index in outcome.tasks.indices { updatePlace(of: &outcome.tasks[index]) }
        assertInvariants()
        return outcome
    }

    /// Checks whether tasks may be picked up, regardless of the destination: the tasks exist, and
    /// none of the returned tasks is locked. O(log n) for each named task.
    ///
    /// - Returns: the named tasks without a named ancestor.
    /// - Throws: `taskNotFound`, `rowNotFound`, `locked`.
    package func checkLift(_ subject: MoveRequest.Subject) throws(Refusal) -> [TaskID] {
        let roots = try resolve(subject).roots
        for root in roots where isLocked(root) { throw .locked }
        return roots.map { table.id(of: $0) }
    }

    private func checkSiblingsAndDepth(of roots: SubtreeRoots, into parent: NodeID) throws(Refusal)
    {
        for root in roots where forest.parent(of: root) != parent {
            if settings.moves == .siblings { throw .notSiblings }
        }
        for root in roots where forest.parent(of: root) != parent {
            guard depth(of: parent) + 1 + forest.height(of: root) <= Self.maximumLevels else {
                throw .depthLimit
            }
        }
    }

    private mutating func place(_ subject: Subject, in gap: InsertionPoint) -> [ListOperation] {
        guard case .one(let node, let parent, let position) = subject.roots,
            let task = subject.tasks.first?.task.id
        else { return place(subject.roots, in: gap) }
        let stays = position == gap.position && parent == gap.parent
        return stays ? [] : [move(node, task, into: gap.parent, at: gap.position)]
    }

    /// Updates a task after the move: only its place, its stamps, and whether it is collapsed can have
    /// changed.
    private func updatePlace(of moved: inout MovedTask) {
        moved.task.content.collapsed = forest.isCollapsed(moved.node)
        moved.task.content.stamps = table.stamps(of: moved.node)
        moved.task.placement = placement(at: moved.node)
        moved.task.depth = depth(of: moved.node)
        moved.task.isLockedByOffset = isLockedByOffset(moved.node, moved.task.placement)
    }

    /// Moves the nodes one after another to the insertion point; those already in place are not
    /// moved.
    ///
    /// While the first nodes move, later ones may still be among the siblings and shift positions.
    /// So each node goes directly after the previous one. The first node goes after the sibling
    /// before the insertion point.
    private mutating func place(_ roots: SubtreeRoots, in gap: InsertionPoint) -> [ListOperation] {
        var operations: [ListOperation] = []
        var position = positionAmongAll(gap, of: roots)
        for node in roots {
            var counted = position
            if forest.parent(of: node) == gap.parent {
                let current = forest.position(of: node)
                // Taking the node out shifts the insertion point.
                if current < position { counted -= 1 }
                position = counted + 1
                if current == counted { continue }
            } else {
                position += 1
            }
            operations.append(move(node, table.id(of: node), into: gap.parent, at: counted))
        }
        return operations
    }

    /// Moves a node, and returns the operation in normal form.
    private mutating func move(
        _ node: NodeID, _ task: TaskID, into parent: NodeID, at position: Int
    ) -> ListOperation {
        relocate(node, into: parent, at: position)
        noteChange(of: node)
        return .move(
            task: task, section: sectionTable.id(of: sectionNode(above: parent)),
            parent: isSection(parent) ? nil : table.id(of: parent), position: position)
    }

    /// The insertion point's position among all children, including those that move. O(number of
    /// roots before it).
    private func positionAmongAll(_ gap: InsertionPoint, of roots: SubtreeRoots) -> Int {
        guard gap.position > 0 else { return 0 }
        var leaving: [Int] = []
        for root in roots where forest.parent(of: root) == gap.parent {
            leaving.append(forest.position(of: root))
        }
        leaving.sort()
        // The index of the staying child just before the insertion point.
        var previous = gap.position - 1
        for position in leaving where position <= previous { previous += 1 }
        return previous + 1
    }

    func showsSubtasks(_ node: NodeID) -> Bool {
        forest.visibleDescendants(of: node) > 0 && forest.row(of: node) != nil
    }
}
