/// Resolves ids and rows of requests to nodes.
extension ReorderableList {
    /// The tasks that a move names, without duplicates, and the roots among them.
    struct Subject {
        var tasks: [MovedTask]
        var roots: SubtreeRoots
    }

    func resolve(_ subject: MoveRequest.Subject) throws(Refusal) -> Subject {
        switch subject {
        case .task(let id): return self.subject(at: try taskNode(id))
        case .tasks(let ids):
            var seen: Set<NodeID> = []
            var nodes: [NodeID] = []
            for id in ids {
                let node = try taskNode(id)
                if seen.insert(node).inserted { nodes.append(node) }
            }
            return Subject(
                tasks: nodes.map { MovedTask(node: $0, task: task(at: $0)) },
                roots: SubtreeRoots(of: nodes, in: forest))
        case .row(let row):
            guard row >= 0, row < rowCount else { throw .rowNotFound(row, count: rowCount) }
            return self.subject(at: forest.node(atRow: row))
        }
    }

    /// A subject of one task.
    private func subject(at node: NodeID) -> Subject {
        let (position, row, parent) = forest.placeAndRows(of: node)
        let placement = placement(under: parent, position: position, row: row)
        return Subject(
            tasks: [MovedTask(node: node, task: task(at: node, placement, depth: depth(of: node)))],
            roots: .one(node, parent: parent, position: position))
    }

    func taskNode(_ id: TaskID) throws(Refusal) -> NodeID {
        guard let node = table.node(for: id) else { throw .taskNotFound(id) }
        return node
    }

    /// The place of an insertion: before the child with this position, counted among the children
    /// that do not move.
    struct InsertionPoint {
        var parent: NodeID
        var position: Int
    }

    /// A resolved destination. If it has no insertion point, the tasks keep their place.
    struct Target {
        var placedBy: PlacedBy
        var gap: InsertionPoint?
    }

    /// Finds the first destination that exists and is not inside a moved subtree.
    ///
    /// If all existing destinations are inside moved subtrees, the first of them decides. An anchor
    /// that is a moved task itself means "keep the place"; other destinations are a cycle.
    func resolve(_ destination: Destination, for roots: SubtreeRoots) throws(Refusal) -> Target {
        var after = destination.after.flatMap { table.node(for: $0) }
        var before: NodeID?
        if let row = destination.row { (after, before) = try anchors(atRow: row, for: roots) }

        var inside: (placedBy: PlacedBy, isRoot: Bool)?
        if let after {
            if let gap = gap(beside: after, offset: 1, for: roots) {
                return Target(placedBy: .after, gap: gap)
            }
            inside = (.after, roots.contains(after))
        }
        before = before ?? destination.before.flatMap { table.node(for: $0) }
        if let before {
            if let gap = gap(beside: before, offset: 0, for: roots) {
                return Target(placedBy: .before, gap: gap)
            }
            inside = inside ?? (.before, roots.contains(before))
        }
        if let place = destination.place {
            let (parent, placedBy) = node(of: place.siblings, for: roots)
            if let parent, !roots.carry(parent, in: forest) {
                let end = forest.childCount(of: parent) - roots.count(leaving: parent, in: forest)
                let position = max(0, min(place.position ?? end, end))
                return Target(
                    placedBy: placedBy, gap: InsertionPoint(parent: parent, position: position))
            }
            if parent != nil, inside == nil { throw .cycle }
        }
        guard let inside else { throw .anchorGone }
        guard inside.isRoot else { throw .cycle }
        return Target(placedBy: inside.placedBy, gap: nil)
    }

    /// Resolves a row to an anchor.
    ///
    /// The moved task becomes a sibling of the task at that row. If it moves down within its
    /// section, it is inserted after that task's subtree, otherwise before that task.
    private func anchors(
        atRow row: Int, for roots: SubtreeRoots
    ) throws(Refusal) -> (after: NodeID?, before: NodeID?) {
        guard row >= 0, rowCount > 0, let moved = roots.first else { throw .anchorGone }
        let row = min(row, rowCount - 1)
        let node = forest.node(atRow: row)
        let isSameSection = sectionNode(above: moved) == sectionNode(above: node)
        let goesDown = isSameSection && (forest.row(of: moved) ?? 0) < row
        return goesDown ? (node, nil) : (nil, node)
    }

    /// The insertion point before or after an anchor; nil if it is inside a moved subtree.
    private func gap(
        beside anchor: NodeID, offset: Int, for roots: SubtreeRoots
    ) -> InsertionPoint? {
        let (position, parent) = forest.placeInParent(of: anchor)
        if roots.contains(anchor) || roots.carry(parent, in: forest) { return nil }
        let leaving = roots.count(leaving: parent, before: position, in: forest)
        return InsertionPoint(parent: parent, position: position - leaving + offset)
    }

    /// The parent node of the siblings; nil if it does not exist. For a task that is being created,
    /// `own` and `topLevel` mean the top level without a section.
    private func node(
        of siblings: Destination.Siblings, for roots: SubtreeRoots
    ) -> (parent: NodeID?, placedBy: PlacedBy) {
        switch siblings {
        case .subtasks(let task): (table.node(for: task), .parent)
        case .section(let section): (sectionTable.node(for: section), .section)
        case .topLevel:
            (roots.first.map { sectionNode(above: $0) } ?? sectionTable.unsectioned, .parent)
        case .own:
            (roots.first.flatMap { forest.parent(of: $0) } ?? sectionTable.unsectioned, .position)
        }
    }
}
