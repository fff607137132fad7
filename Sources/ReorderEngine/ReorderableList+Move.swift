extension ReorderableList {
    /// Moves tasks with their subtrees.
    ///
    /// Checked in this order: the tasks exist, a destination is left that is not inside them, they
    /// are not locked, siblings stay siblings where the list says so, nothing comes to stand deeper
    /// than 16 levels, no locked row is displaced. A move to where the tasks already are changes
    /// nothing.
    ///
    /// O(log n) a task named, whatever their subtrees hold.
    ///
    /// - Throws: the first check that fails; then the list is unchanged.
    public mutating func move(_ request: MoveRequest) throws(Refusal) -> MoveOutcome {
        let subject = try resolve(request.subject)
        let roots = subject.roots
        let target = try resolve(request.destination, for: roots)
        for root in roots where isLocked(root) { throw .locked }

        var outcome = MoveOutcome(
            operations: [], tasks: subject.named, from: subject.from, placedBy: target.placedBy,
            collapsed: [])
        guard let gap = target.gap else { return outcome }

        try checkSiblingsAndDepth(of: roots, into: gap.parent)
        guard !displacesLocked(in: gap.parent, at: gap.position) else { throw .locked }

        let folding = settings.collapseSubElements ? roots.filter(showsSubtasks) : []
        let moves = place(subject, in: gap)
        guard !moves.isEmpty else { return outcome }

        for node in folding {
            let task = table.id(of: node)
            forest.setCollapsed(node, true)
            outcome.collapsed.append(task)
            outcome.operations.append(.collapse(task: task, collapsed: true))
        }
        if outcome.operations.isEmpty {
            outcome.operations = moves
        } else {
            outcome.operations += moves
        }
        assertInvariants()
        return outcome
    }

    /// Makes sure that tasks may be picked up at all, wherever they shall go: they exist, and none
    /// of those that move by themselves is locked. O(log n) a task named.
    ///
    /// - Returns: those that move by themselves.
    /// - Throws: `taskNotFound`, `rowNotFound`, `locked`.
    public func checkLift(_ subject: MoveRequest.Subject) throws(Refusal) -> [TaskID] {
        let roots = try resolve(subject).roots
        for root in roots where isLocked(root) { throw .locked }
        return roots.map { table.id(of: $0) }
    }

    private func checkSiblingsAndDepth(of roots: Roots, into parent: NodeID) throws(Refusal) {
        for root in roots where forest.parent(of: root) != parent {
            if settings.moves == .siblings { throw .notSiblings }
        }
        for root in roots where forest.parent(of: root) != parent {
            guard depth(of: parent) + 1 + forest.height(of: root) <= Self.maximumLevels else {
                throw .depthLimit
            }
        }
    }

    private mutating func place(_ subject: Subject, in gap: Gap) -> [ListOperation] {
        guard case .one(let node, let parent, let position) = subject.roots,
            let task = subject.named.first
        else { return place(subject.roots, in: gap) }
        let stays = position == gap.position && parent == gap.parent
        return stays ? [] : [move(node, task, into: gap.parent, at: gap.position)]
    }

    /// Moves the nodes one after another into the gap; those already in place are left alone.
    ///
    /// While the first ones move, the later ones may still stand among the siblings. So each goes
    /// directly after the one before it, and the first one after the sibling before the gap.
    private mutating func place(_ roots: Roots, in gap: Gap) -> [ListOperation] {
        var operations: [ListOperation] = []
        var position = positionAmongAll(gap, of: roots)
        for node in roots {
            var counted = position
            if forest.parent(of: node) == gap.parent {
                let current = forest.position(of: node)
                // Taken out, the node leaves a place before the gap.
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

    /// Moves a node, and gives that in normal form.
    private mutating func move(
        _ node: NodeID, _ task: TaskID, into parent: NodeID, at position: Int
    ) -> ListOperation {
        relocate(node, into: parent, at: position)
        return .move(
            task: task, section: sectionTable.id(of: sectionNode(above: parent)),
            parent: isSection(parent) ? nil : table.id(of: parent), position: position)
    }

    /// The gap's position among all children, those that move counted too.
    ///
    /// Stepping over the ones that move and stand before it: O(number of those).
    private func positionAmongAll(_ gap: Gap, of roots: Roots) -> Int {
        guard gap.position > 0 else { return 0 }
        var leaving: [Int] = []
        for root in roots where forest.parent(of: root) == gap.parent {
            leaving.append(forest.position(of: root))
        }
        leaving.sort()
        // The index of the child just before the gap, which stays.
        var previous = gap.position - 1
        for position in leaving where position <= previous { previous += 1 }
        return previous + 1
    }

    func showsSubtasks(_ node: NodeID) -> Bool {
        forest.visibleDescendants(of: node) > 0 && forest.row(of: node) != nil
    }
}
