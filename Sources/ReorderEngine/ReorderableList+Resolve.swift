/// From what a client names to nodes.
extension ReorderableList {
    /// The tasks that move by themselves: of those named, the ones with no named ancestor.
    struct Roots {
        let nodes: [NodeID]
        private let set: Set<NodeID>

        init(of named: [NodeID], in list: ReorderableList) {
            guard named.count > 1 else {
                nodes = named
                set = Set(named)
                return
            }
            let all = Set(named)
            nodes = named.filter { node in
                var ancestor = list.forest.parent(of: node)
                while let current = ancestor {
                    if all.contains(current) { return false }
                    ancestor = list.forest.parent(of: current)
                }
                return true
            }
            set = Set(nodes)
        }

        func contains(_ node: NodeID) -> Bool { set.contains(node) }

        /// Whether a node is one of the roots or stands beneath one.
        func carry(_ node: NodeID, in list: ReorderableList) -> Bool {
            var node: NodeID? = node
            while let current = node {
                if set.contains(current) { return true }
                node = list.forest.parent(of: current)
            }
            return false
        }
    }

    func nodes(named subject: MoveRequest.Subject) throws(Refusal) -> [NodeID] {
        switch subject {
        case .task(let id):
            return [try taskNode(id)]
        case .tasks(let ids):
            var seen: Set<NodeID> = []
            var nodes: [NodeID] = []
            for id in ids {
                let node = try taskNode(id)
                if seen.insert(node).inserted { nodes.append(node) }
            }
            return nodes
        case .row(let row):
            guard row >= 0, row < rowCount else { throw .anchorGone }
            return [forest.node(atRow: row)]
        }
    }

    func taskNode(_ id: TaskID) throws(Refusal) -> NodeID {
        guard let node = table.node(for: id) else { throw .taskNotFound(id) }
        return node
    }

    /// What a destination comes down to; no gap means "stay where you are".
    struct Target {
        var placedBy: PlacedBy
        var gap: Gap?
    }

    /// Finds the first destination that exists and is not inside what moves.
    ///
    /// Where none is left but an anchor inside what moves, the moving task itself means "stay", and
    /// one beneath it is a cycle.
    func resolve(_ destination: Destination, for roots: Roots) throws(Refusal) -> Target {
        let destination = try anchored(destination, for: roots)
        var inside: (placedBy: PlacedBy, isRoot: Bool)?
        for (anchor, placedBy) in [(destination.after, PlacedBy.after), (destination.before, .before)]
        {
            guard let anchor, let node = table.node(for: anchor) else { continue }
            if roots.carry(node, in: self) {
                if inside == nil { inside = (placedBy, roots.contains(node)) }
                continue
            }
            return Target(placedBy: placedBy, gap: gap(beside: node, placedBy, for: roots))
        }
        if let place = destination.place {
            if let target = try resolve(place, for: roots) { return target }
            if let parent = place.siblings.parentTask, inside == nil, contains(parent) {
                throw .cycle
            }
        }
        guard let inside else { throw .anchorGone }
        guard inside.isRoot else { throw .cycle }
        return Target(placedBy: inside.placedBy, gap: nil)
    }

    /// Turns a row into the anchor that it stands for.
    ///
    /// The moved task becomes a sibling of the task at that row: going down within the section, after
    /// that task's subtree; otherwise before it.
    private func anchored(_ destination: Destination, for roots: Roots) throws(Refusal) -> Destination
    {
        guard let row = destination.row else { return destination }
        guard row >= 0, rowCount > 0, let moved = roots.nodes.first else { throw .anchorGone }
        let last = min(row, rowCount - 1)
        let node = forest.node(atRow: last)
        let anchor = table.id(of: node)
        let goesDown =
            sectionNode(above: moved) == sectionNode(above: node)
            && (forest.row(of: moved) ?? 0) < last
        return goesDown ? Destination(after: anchor) : Destination(before: anchor)
    }

    private func gap(beside node: NodeID, _ side: PlacedBy, for roots: Roots) -> Gap {
        // An anchor is never under a root, so it has a parent: a task or a section.
        let parent = forest.parent(of: node) ?? Forest.root
        let position = forest.position(of: node)
        let leaving = roots.nodes.count { root in
            forest.parent(of: root) == parent && forest.position(of: root) < position
        }
        return Gap(parent: parent, position: position - leaving + (side == .after ? 1 : 0))
    }

    /// - Returns: `nil` where the place does not exist, or is inside what moves.
    private func resolve(_ place: Destination.Place, for roots: Roots) throws(Refusal) -> Target? {
        let parent: NodeID?
        let placedBy: PlacedBy
        switch place.siblings {
        case .subtasks(let task):
            (parent, placedBy) = (table.node(for: task), .parent)
        case .section(let section):
            (parent, placedBy) = (sectionTable.node(for: section), .section)
        case .topLevel:
            let section = roots.nodes.first.map { sectionNode(above: $0) }
            (parent, placedBy) = (section ?? sectionTable.unsectioned, .parent)
        case .own:
            let own = roots.nodes.first.flatMap { forest.parent(of: $0) }
            (parent, placedBy) = (own ?? sectionTable.unsectioned, .position)
        }
        guard let parent, !roots.carry(parent, in: self) else { return nil }
        let leaving = roots.nodes.count { forest.parent(of: $0) == parent }
        let end = forest.childCount(of: parent) - leaving
        let position = max(0, min(place.position ?? end, end))
        return Target(placedBy: placedBy, gap: Gap(parent: parent, position: position))
    }
}

extension Destination.Siblings {
    var parentTask: TaskID? {
        if case .subtasks(let task) = self { return task }
        return nil
    }
}
