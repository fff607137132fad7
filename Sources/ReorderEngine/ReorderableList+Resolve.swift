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
            var nodes: [NodeID] = []
            for id in ids { nodes.append(try taskNode(id)) }
            return self.subject(at: nodes)
        case .row(let row): return self.subject(at: try node(atRow: row, of: 0..<rowCount))
        case .rows(let rows):
            var nodes: [NodeID] = []
            for row in rows.sorted() { nodes.append(try node(atRow: row, of: 0..<rowCount)) }
            return self.subject(at: nodes)
        case .path(let section, let row):
            guard let node = sectionTable.node(for: section) else {
                throw .sectionNotFound(section ?? "")
            }
            return self.subject(at: try self.node(atRow: row, of: rows(in: node)))
        }
    }

    /// - Parameter rows: the rows among which the row is counted.
    private func node(atRow row: Int, of rows: Range<Int>) throws(Refusal) -> NodeID {
        guard 0..<rows.count ~= row else { throw .rowNotFound(row, count: rows.count) }
        return forest.node(atRow: rows.lowerBound + row)
    }

    /// A subject of several tasks.
    private func subject(at named: [NodeID]) -> Subject {
        var seen: Set<NodeID> = []
        let nodes = named.filter { seen.insert($0).inserted }
        return Subject(
            tasks: nodes.map { MovedTask(node: $0, task: task(at: $0)) },
            roots: SubtreeRoots(of: nodes, in: forest))
    }

    /// A subject of one task.
    private func subject(at node: NodeID) -> Subject {
        let (position, row, parent) = forest.placeAndRows(of: node)
        let task = task(
            at: node, placement(under: parent, position: position, row: row),
            depth: depth(of: node))
        return Subject(
            tasks: [MovedTask(node: node, task: task)],
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

        init(placedBy: PlacedBy, gap: InsertionPoint?) {
            self.placedBy = placedBy
            self.gap = gap
        }

        init(at point: RowLayout.Point) {
            placedBy = .row
            gap = InsertionPoint(parent: point.parent, position: point.position)
        }
    }

    /// Finds the first destination that exists and is not inside a moved subtree. If the neighbors have
    /// parted, `before` decides if only this neighbor is still in the named place.
    ///
    /// If all existing destinations are inside moved subtrees, the first of them decides. An anchor
    /// that is a moved task itself means "keep the place"; other destinations are a cycle.
    func resolve(_ destination: Destination, for roots: SubtreeRoots) throws(Refusal) -> Target {
        if let rows = destination.rows {
            return Target(at: try RowLayout(of: self, moving: roots).insertionPoint(at: rows))
        }
        var inside: (placedBy: PlacedBy, isRoot: Bool)?
        if let after = destination.after.flatMap({ table.node(for: $0) }) {
            if let gap = gap(beside: after, offset: 1, for: roots) {
                if let stayed = gapOfStayed(destination, awayFrom: gap.parent, for: roots) {
                    return Target(placedBy: .before, gap: stayed)
                }
                return Target(placedBy: .after, gap: gap)
            }
            inside = (.after, roots.contains(after))
        }
        if let before = destination.before.flatMap({ table.node(for: $0) }) {
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

    /// The insertion point at `before`, if this neighbor is still in the place that the destination
    /// names by an id or a section, and the other one is not; nil otherwise.
    ///
    /// - Parameter parent: the parent node of the other neighbor.
    private func gapOfStayed(
        _ destination: Destination, awayFrom parent: NodeID, for roots: SubtreeRoots
    ) -> InsertionPoint? {
        guard let before = destination.before, let place = destination.place else { return nil }
        let named: NodeID? =
            switch place.siblings {
            case .subtasks(let task): table.node(for: task)
            case .section(let section): sectionTable.node(for: section)
            case .topLevel, .own: nil
            }
        guard let named, named != parent, let node = table.node(for: before),
            forest.parent(of: node) == named
        else { return nil }
        return gap(beside: node, offset: 0, for: roots)
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
            (
                roots.outermost(in: self).flatMap { forest.parent(of: $0) }
                    ?? sectionTable.unsectioned, .position
            )
        }
    }
}
