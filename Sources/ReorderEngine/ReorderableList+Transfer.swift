extension ReorderableList {
    /// Moves tasks with their subtrees to another list; they keep their ids and all their content.
    /// Their times stay too, except `updatedAt` of the tasks at the top of each moved subtree.
    ///
    /// Destinations are resolved in the other list. There, the moved tasks have no siblings and no
    /// section, so `own` and `topLevel` mean the top level without a section. A destination's `rows`
    /// are rows of the other list.
    ///
    /// Checks in the order of a move, with these differences:
    /// - The tasks exist in this list, and a destination exists in the other one. `cycle` is
    ///   impossible.
    /// - None of the tasks is locked. As in a move, a locked task below a moved one moves with it,
    ///   although deleting the moved one would be refused.
    /// - Neither list restricts moves to siblings (`moves`), because parent and section change.
    /// - No task gets below the sixteenth level, the other list's limits allow the tasks and all their
    ///   subtasks (unless the tasks are put back), and no locked row of the other list is displaced.
    ///   In this list none can be displaced, because the rows that `elementsOffset` locks come
    ///   first and stay.
    /// - The other list contains none of the ids.
    ///
    /// Tasks with visible subtasks arrive collapsed if *this* list has `collapseSubElements`,
    /// because they are picked up here.
    ///
    /// O(log n) for each task of the subtrees.
    ///
    /// - Parameter folds: whether `collapseSubElements` counts.
    /// - Throws: the first failed check. Then neither list has changed.
    package mutating func transfer(
        _ request: MoveRequest, to other: inout ReorderableList, folds: Bool = true
    ) throws(Refusal) -> TransferOutcome {
        let subject = try resolve(request.subject)
        let roots = subject.roots
        let target = try other.resolve(request.destination, arriving: roots, from: self)
        // No moved task is in the other list, so a target always has an insertion point.
        guard let gap = target.gap else { throw .anchorGone }
        for root in roots where isLocked(root) { throw .locked }
        guard settings.moves != .siblings, other.settings.moves != .siblings else {
            throw .notSiblings
        }
        let depth = other.depth(of: gap.parent)
        for root in roots where depth + 1 + forest.height(of: root) > Self.maximumLevels {
            throw .depthLimit
        }
        if !request.destination.isUndo {
            let levels = roots.reduce(0) { max($0, forest.height(of: $1)) }
            try other.checkLimits(
                adding: roots.count, levels: levels, to: gap.parent,
                mostSubtasks: mostSubtasks(in: roots, for: other))
        }
        guard !other.displacesLocked(in: gap.parent, at: gap.position) else { throw .locked }
        let moving = roots.flatMap { forest.preorder(of: $0) }
        for node in moving {
            let task = table.id(of: node)
            guard !other.contains(task) else { throw .idTaken(task) }
        }

        let folding = folds && settings.collapseSubElements ? roots.filter(showsSubtasks) : []
        other.insert(moving, of: self, under: roots, at: gap, collapsing: Set(folding))
        other.noteChange()
        let rootIDs = roots.map { table.id(of: $0) }
        let outcome = TransferOutcome(
            departure: rootIDs.map { .delete(task: $0) },
            arrival: rootIDs.flatMap { other.subtree(of: $0) }.map { .insert($0) },
            moved: moving.map { table.id(of: $0) },
            tasks: subject.tasks.map { other.arrived($0) }, placedBy: target.placedBy,
            collapsed: folding.map { table.id(of: $0) })
        _ = applyChecked(outcome.departure)
        other.assertInvariants()
        return outcome
    }

    /// Moves a section with its tasks to another list. It keeps its id, title, data and limit. The rules are those of
    /// a move of its tasks, except that none is collapsed.
    ///
    /// - Parameters:
    ///   - position: the index among the other list's sections; nil: the last one.
    ///   - isUndo: as in `Destination`.
    /// - Throws: `idTaken` if the other list has a section with this id, or the first failed check of the
    ///   tasks. Then neither list has changed.
    package mutating func transfer(
        section id: SectionID, to other: inout ReorderableList, position: Int?,
        isUndo: Bool = false
    ) throws(Refusal) -> TransferOutcome {
        guard let section = section(id) else { throw .sectionNotFound(id) }
        guard !other.contains(section: id) else { throw .idTaken(id) }
        var (left, entered) = (self, other)
        let made = try entered.createSection(
            id, title: section.title, position: position, data: section.data,
            maxTasks: section.maxTasks)
        let tasks = sectionTable.nodes[id].map { forest.children(of: $0).map { table.id(of: $0) } }
        var outcome = TransferOutcome(
            departure: [], arrival: [], moved: [], tasks: [], placedBy: .section, collapsed: [])
        if let tasks, !tasks.isEmpty {
            var destination = Destination(place: .init(.section(id)))
            destination.isUndo = isUndo
            let move = MoveRequest(.tasks(tasks), to: destination)
            outcome = try left.transfer(move, to: &entered, folds: false)
        }
        outcome.departure += try left.deleteSection(id, tasks: .keep).operations
        outcome.arrival = made + outcome.arrival
        (self, other) = (left, entered)
        return outcome
    }

    /// The state in this list of a task of another list.
    private func arrived(_ moved: MovedTask) -> MovedTask {
        var moved = moved
        if let task = task(moved.task.id) { moved.task = task }
        return moved
    }

    /// Resolves a destination for tasks of another list.
    private func resolve(
        _ destination: Destination, arriving roots: SubtreeRoots, from other: ReorderableList
    ) throws(Refusal) -> Target {
        guard let rows = destination.rows else { return try resolve(destination, for: .none) }
        let layout = RowLayout(of: self, receiving: roots, from: other)
        return Target(at: try layout.insertionPoint(at: rows))
    }

    /// Inserts another list's nodes: the roots next to each other from the insertion point on, with
    /// their subtrees.
    ///
    /// - Parameter nodes: the roots' subtrees one after another, each parent before its children.
    private mutating func insert(
        _ nodes: [NodeID], of source: ReorderableList, under roots: SubtreeRoots,
        at gap: InsertionPoint,
        collapsing folding: Set<NodeID>
    ) {
        var position = gap.position
        for node in nodes {
            var content = source.content(at: node)
            if folding.contains(node) { content.collapsed = true }
            if roots.contains(node) {
                if let changeStamp {
                    content.stamps.updatedAt = changeStamp.time
                    content.stamps.updatedBy = changeStamp.author
                }
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
package struct TransferOutcome: Sendable, Equatable {
    /// The change of the list that the tasks left, in normal form: one deletion for each subtree.
    package var departure: [ListOperation]
    /// The change of the list that received the tasks, in normal form: one insertion for each task.
    package var arrival: [ListOperation]
    /// All moved tasks, each parent before its children.
    package var moved: [TaskID]
    /// The named tasks, in the order of the request. `from` is their placement in the list that they
    /// left.
    package var tasks: [MovedTask]
    /// The part of the destination that was used.
    package var placedBy: PlacedBy
    /// The tasks that the move collapsed.
    package var collapsed: [TaskID]
}
