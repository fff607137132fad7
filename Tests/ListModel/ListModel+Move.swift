import ReorderEngine

extension ListModel {
    /// The result of a request: all of an outcome except its operations.
    package struct Effect: Equatable {
        package var changed: Bool
        package var placedBy: PlacedBy?
        package var tasks: [TaskID] = []
        package var from: [Placement] = []
        package var collapsed: [TaskID] = []
        package var deleted: [TaskID] = []
        package var rows: CollapseOutcome.RowsChange?

        package init(
            changed: Bool, placedBy: PlacedBy? = nil, tasks: [TaskID] = [],
            from: [Placement] = [], collapsed: [TaskID] = [], deleted: [TaskID] = []
        ) {
            self.changed = changed
            self.placedBy = placedBy
            self.tasks = tasks
            self.from = from
            self.collapsed = collapsed
            self.deleted = deleted
        }
    }

    package mutating func move(_ request: MoveRequest) throws(Refusal) -> Effect {
        let named = try tasks(named: request.subject)
        let roots = named.filter { root in
            !named.contains { $0.id != root.id && subtree(of: $0.id).contains(root.id) }
        }
        var rest = self
        for root in roots { rest.remove(root.id) }

        let decision = try decide(request, roots: roots, rest: rest)
        if roots.contains(where: isLocked) { throw .locked }
        var effect = Effect(
            changed: false, placedBy: decision.placedBy, tasks: named.map(\.id),
            from: named.map(\.placement))
        guard let (siblings, position) = decision.place else { return effect }

        if settings.moves == .siblings, roots.contains(where: { self.siblings(of: $0) != siblings })
        {
            throw .notSiblings
        }
        let moving = roots.compactMap { node($0.id) }
        let depth = rest.depth(of: siblings)
        if moving.contains(where: { depth + $0.levels > 16 }) { throw .depthLimit }

        var moved = rest
        moved.insert(moving, at: position, among: siblings)
        try moved.checkLimits(after: self)
        let locked = lockedRows
        if moved.topLevelTasks(first: locked.count) != locked { throw .locked }
        if moved == self { return effect }

        if settings.collapseSubElements {
            for root in roots where subtasksAreVisible(root) {
                effect.collapsed.append(root.id)
                moved.edit(root.id) { $0.collapsed = true }
            }
        }
        self = moved
        effect.changed = true
        return effect
    }

    package func isLocked(_ task: ListTask) -> Bool {
        task.content.locked || lockedRows.contains { $0.task == task.id }
    }

    package func depth(of siblings: Siblings) -> Int {
        switch siblings {
        case .top: 0
        case .under(let parent): (task(parent)?.depth ?? 0) + 1
        }
    }

    package func subtasksAreVisible(_ task: ListTask) -> Bool {
        task.placement.row != nil && task.subtasks > 0 && !task.content.collapsed
    }

    package func tasks(named subject: MoveRequest.Subject) throws(Refusal) -> [ListTask] {
        let ids: [TaskID]
        switch subject {
        case .task(let id): ids = [id]
        case .tasks(let some): ids = some
        case .row(let row): ids = [try self.row(row, of: rows)]
        case .rows(let some):
            ids = try some.sorted().map { row throws(Refusal) in try self.row(row, of: rows) }
        case .path(let section, let row):
            guard has(section: section) else { throw .sectionNotFound(section ?? "") }
            ids = [try self.row(row, of: rows.filter { $0.placement.section == section })]
        }
        var named: [ListTask] = []
        for id in ids where !named.contains(where: { $0.id == id }) {
            guard let task = task(id) else { throw .taskNotFound(id) }
            named.append(task)
        }
        return named
    }

    private func row(_ row: Int, of rows: [ListTask]) throws(Refusal) -> TaskID {
        guard rows.indices.contains(row) else { throw .rowNotFound(row, count: rows.count) }
        return rows[row].id
    }
}

// MARK: - Destinations

extension ListModel {
    package struct Decision {
        /// nil means "keep the place".
        package var place: (siblings: Siblings, position: Int)?
        package var placedBy: PlacedBy
    }

    private func decide(
        _ request: MoveRequest, roots: [ListTask], rest: ListModel
    ) throws(Refusal) -> Decision {
        if let rows = request.destination.rows {
            return try rest.decide(rows, lifted: lifted(roots))
        }
        return try rest.decide(
            request.destination, for: roots, inside: roots.flatMap { subtree(of: $0.id) })
    }

    /// Call it on the list without the moved tasks. `inside` has the ids of these tasks.
    package func decide(
        _ destination: Destination, for roots: [ListTask], inside: [TaskID] = []
    ) throws(Refusal) -> Decision {
        var anchors: [(TaskID?, PlacedBy, Int)] = [
            (destination.after, .after, 1), (destination.before, .before, 0),
        ]
        if hasLostNeighborAbove(destination) { anchors.reverse() }
        for case (let id?, let kind, let offset) in anchors {
            if let anchor = task(id) {
                let position = anchor.placement.position + offset
                return Decision(place: (siblings(of: anchor), position), placedBy: kind)
            }
        }
        if let place = destination.place,
            let (siblings, kind) = find(place.siblings, for: roots)
        {
            let count = nodes(siblings).count
            let position = min(max(0, place.position ?? count), count)
            return Decision(place: (siblings, position), placedBy: kind)
        }
        for case (let id?, let kind, _) in anchors where inside.contains(id) {
            guard roots.contains(where: { $0.id == id }) else { throw .cycle }
            return Decision(place: nil, placedBy: kind)
        }
        if case .subtasks(let parent) = destination.place?.siblings, inside.contains(parent) {
            throw .cycle
        }
        throw .anchorGone
    }

    /// Whether the neighbor above has left the place that the destination names, and the one below has
    /// not.
    private func hasLostNeighborAbove(_ destination: Destination) -> Bool {
        guard let above = destination.after.flatMap({ task($0) }),
            let below = destination.before.flatMap({ task($0) })
        else { return false }
        switch destination.place?.siblings {
        case .subtasks(let parent):
            return below.placement.parent == parent && above.placement.parent != parent
        case .section(let section):
            func isThere(_ task: ListTask) -> Bool {
                task.placement.parent == nil && task.placement.section == section
            }
            return isThere(below) && !isThere(above)
        case .topLevel, .own, nil: return false
        }
    }

    private func find(
        _ siblings: Destination.Siblings, for roots: [ListTask]
    ) -> (Siblings, PlacedBy)? {
        switch siblings {
        case .subtasks(let parent): task(parent) == nil ? nil : (.under(parent), .parent)
        case .section(let section): has(section: section) ? (.top(section), .section) : nil
        case .topLevel: (.top(roots.first?.placement.section), .parent)
        case .own:
            (roots.min { $0.depth < $1.depth }.map(self.siblings) ?? .top(nil), .position)
        }
    }
}
