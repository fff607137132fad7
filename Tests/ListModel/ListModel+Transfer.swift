import ReorderEngine

extension ListModel {
    package mutating func transfer(
        _ request: MoveRequest, to other: inout ListModel
    ) throws(Refusal) -> Effect {
        let named = try tasks(named: request.subject)
        let roots = named.filter { root in
            !named.contains { $0.id != root.id && subtree(of: $0.id).contains(root.id) }
        }
        var lifted = lifted(roots)
        lifted.rows = []
        lifted.sizes = lifted.sizes.map { (nil, $0.levels) }
        let decision =
            if let rows = request.destination.rows {
                try other.decide(rows, lifted: lifted)
            } else {
                try other.decide(request.destination, for: [])
            }
        if roots.contains(where: isLocked) { throw .locked }
        if [settings.moves, other.settings.moves].contains(.siblings) { throw .notSiblings }
        guard let (siblings, position) = decision.place else { throw .anchorGone }
        var moving = roots.compactMap { node($0.id) }
        let depth = other.depth(of: siblings)
        if moving.contains(where: { depth + $0.levels > 16 }) { throw .depthLimit }

        var effect = Effect(
            changed: true, placedBy: decision.placedBy, tasks: named.map(\.id),
            from: named.map(\.placement))
        for (index, root) in roots.enumerated()
        where settings.collapseSubElements && subtasksAreVisible(root) {
            effect.collapsed.append(root.id)
            moving[index].content.collapsed = true
        }
        var arrived = other
        arrived.insert(moving, at: position, among: siblings)
        try arrived.checkLimits(after: other)
        let locked = other.lockedRows
        if arrived.topLevelTasks(first: locked.count) != locked { throw .locked }
        other = arrived
        for root in roots { remove(root.id) }
        return effect
    }
}
