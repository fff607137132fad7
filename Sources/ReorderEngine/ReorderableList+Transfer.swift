extension ReorderableList {
    /// Moves tasks with their subtrees into another list; they keep their ids and all their content.
    ///
    /// Destinations are looked up in the other list. What moves has no siblings and no section there
    /// yet, so `own` and `topLevel` mean the top level without a section. A destination's `row` is a
    /// row of the other list: the task comes to stand before the one at that row; past the last row,
    /// behind the subtree of the task at the last row; in an empty list, at its top level.
    ///
    /// Checked in the order of a move, with what is different between two lists:
    /// - The tasks exist in this list, and a destination is left in the other one. There is no
    ///   `cycle`: what moves does not stand in the other list.
    /// - None of the tasks is locked. A locked task beneath one that moves travels with it, as in a
    ///   move: to leave the list inside a parent is not to be deleted.
    /// - Neither list keeps its tasks among their siblings (`moves`): all that would change.
    /// - Nothing comes to stand deeper than 16 levels, and no locked row of the other list is
    ///   displaced. Leaving displaces none: locked rows come first, and they stay.
    /// - The other list holds none of the ids.
    ///
    /// Tasks whose subtasks are visible arrive collapsed where *this* list has `collapseSubElements`:
    /// it is the list in which they are picked up.
    ///
    /// O(log n) for each task of the subtrees.
    ///
    /// - Throws: the first check that fails; then both lists are unchanged.
    public mutating func transfer(
        _ request: MoveRequest, to other: inout ReorderableList
    ) throws(Refusal) -> TransferOutcome {
        let subject = try resolve(request.subject)
        let roots = subject.roots
        let target = try other.resolveArrival(request.destination)
        // Nothing that moves stands in the other list, so a target always has a gap.
        guard let gap = target.gap else { throw .anchorGone }
        for root in roots where isLocked(root) { throw .locked }
        guard settings.moves != .siblings, other.settings.moves != .siblings else {
            throw .notSiblings
        }
        let depth = other.depth(of: gap.parent)
        for root in roots where depth + 1 + forest.height(of: root) > Self.maximumLevels {
            throw .depthLimit
        }
        guard !other.displacesLocked(in: gap.parent, at: gap.position) else { throw .locked }
        let moving = roots.flatMap { forest.preorder(of: $0) }
        for node in moving {
            let task = table.id(of: node)
            guard !other.contains(task) else { throw .idTaken(task) }
        }

        let folding = settings.collapseSubElements ? roots.filter(showsSubtasks) : []
        other.insert(moving, of: self, under: roots, at: gap, collapsing: Set(folding))
        let rootIDs = roots.map { table.id(of: $0) }
        let outcome = TransferOutcome(
            departure: rootIDs.map { .delete(task: $0) },
            arrival: rootIDs.flatMap { other.subtree(of: $0) }.map { .insert($0) },
            moved: moving.map { table.id(of: $0) },
            tasks: subject.named, from: subject.from, placedBy: target.placedBy,
            collapsed: folding.map { table.id(of: $0) })
        _ = perform(outcome.departure)
        other.assertInvariants()
        return outcome
    }

    /// Where a destination lies for what comes from elsewhere.
    private func resolveArrival(_ destination: Destination) throws(Refusal) -> Target {
        guard let row = destination.row else { return try resolve(destination, for: .none) }
        guard row >= 0 else { throw .anchorGone }
        let isPastEnd = row >= rowCount
        guard let anchor = task(atRow: min(row, rowCount - 1))?.id else {
            return try resolve(Destination(place: .init(.section(nil))), for: .none)
        }
        return try resolve(
            Destination(after: isPastEnd ? anchor : nil, before: isPastEnd ? nil : anchor),
            for: .none)
    }

    /// Takes in another list's nodes: the roots side by side from the gap on, what is beneath them
    /// beneath them.
    ///
    /// - Parameter nodes: the roots' subtrees one after another, each parent before its children.
    private mutating func insert(
        _ nodes: [NodeID], of source: ReorderableList, under roots: Roots, at gap: Gap,
        collapsing folding: Set<NodeID>
    ) {
        var position = gap.position
        for node in nodes {
            var content = source.content(at: node)
            if folding.contains(node) { content.collapsed = true }
            if roots.contains(node) {
                insert(content, into: gap.parent, at: position)
                position += 1
            } else if let parent = source.forest.parent(of: node),
                let copy = table.node(for: source.table.id(of: parent))
            {
                insert(content, into: copy, at: forest.childCount(of: copy))
            }
        }
    }
}

/// The result of a move into another list.
public struct TransferOutcome: Sendable, Equatable {
    /// The change of the list that the tasks left, in normal form: one deletion for each subtree.
    public var departure: [ListOperation]
    /// The change of the list that they came into, in normal form: one insertion for each task.
    public var arrival: [ListOperation]
    /// Every task that is in the other list now, each parent before its children.
    public var moved: [TaskID]
    /// The tasks that were named, in the order in which they were named.
    public var tasks: [TaskID]
    /// Where each of `tasks` stood in the list that it left.
    public var from: [Placement]
    /// Which part of the destination decided.
    public var placedBy: PlacedBy
    /// The tasks that were collapsed on the way.
    public var collapsed: [TaskID]
}
