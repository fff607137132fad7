extension ReorderableList {
    /// Undoes a change on the list's current state.
    ///
    /// If it is the last change, the list becomes exactly the list before it, and no rule is
    /// checked. Otherwise the operations are undone one by one, the last one first:
    /// - A moved task returns to its former siblings, after its former predecessor. If that is
    ///   gone, it returns to the place before its former successor, or else to its former position.
    ///   The rules of a move apply, except the limits in the settings: an undo puts back.
    /// - A deleted task is inserted again with its subtree, at a place found in the same way.
    /// - A created task is deleted, if it is unchanged and has no subtasks.
    /// - A changed value is restored, if it is still the value that the change set.
    ///
    /// O(log n) for each operation and each task of a deleted subtree. It needs memory for the
    /// plan, and for one copy of each page that the operations change.
    ///
    /// - Parameters:
    ///   - plan: the plan of the change.
    ///   - isLast: whether this is the list directly after the change.
    ///   - shouldContinue: called before each operation.
    /// - Throws: the first conflict, or `interrupted`; the list is not changed then.
    package mutating func undo(
        _ plan: UndoPlan, isLast: Bool, while shouldContinue: () -> Bool = { true }
    ) throws(UndoConflict) -> UndoOutcome {
        let before = self
        let operations = try undoOperations(of: plan, isLast: isLast, while: shouldContinue)
        return UndoOutcome(operations, from: before, to: self)
    }

    /// Like `undo`, for callers that only need the operations.
    package mutating func undoOperations(
        of plan: UndoPlan, isLast: Bool, while shouldContinue: () -> Bool = { true }
    ) throws(UndoConflict) -> [ListOperation] {
        var undone = self
        var taken: [ListOperation] = []
        taken.reserveCapacity(plan.operationCount)
        for step in plan.steps.reversed() {
            guard shouldContinue() else { throw .interrupted }
            if isLast {
                for operation in step.inverse {
                    guard (try? undone.apply(operation)) != nil else { throw .replaced }
                }
                taken += step.inverse
            } else {
                taken += try undone.undoStep(step)
            }
        }
        undone.assertInvariants()
        self = undone
        return taken
    }

    private mutating func undoStep(
        _ step: UndoPlan.Step
    ) throws(UndoConflict) -> [ListOperation] {
        switch step.operation {
        case .move(let task, _, _, _): try undoMove(task, step)
        case .insert(let task): try undoInsert(task.content)
        case .update(let task, let set): try restore(task, set, step)
        case .collapse(let task, let collapsed): try undoCollapse(task, collapsed, step)
        case .delete(let task): try undoDelete(task, step)
        case .list(let set): try restore(set, step)
        case .sectionInsert, .sectionUpdate, .sectionMove, .sectionDelete:
            try undoSection(step)
        case .replace: throw .replaced
        }
    }

    // MARK: Tasks

    private mutating func undoMove(
        _ task: TaskID, _ step: UndoPlan.Step
    ) throws(UndoConflict) -> [ListOperation] {
        guard let node = table.node(for: task) else { throw .taskGone(task) }
        guard case .move(_, let section, let above, let former)? = step.inverse.first
        else { throw .placeGone(task) }
        let (parent, gap) = try formerPlace(
            of: task, Placement(section: section, parent: above, position: former, row: nil), step)
        guard !forest.isInside(parent, subtreeOf: node) else { throw .refused(task, .cycle) }
        var position = gap
        if forest.parent(of: node) == parent {
            // The position is counted after the task is taken out.
            if forest.position(of: node) < gap { position -= 1 }
            if forest.position(of: node) == position { return [] }
        } else if settings.moves == .siblings {
            throw .refused(task, .notSiblings)
        }
        guard !isLocked(node), !displacesLocked(in: parent, at: position) else {
            throw .refused(task, .locked)
        }
        guard depth(of: parent) + 1 + forest.height(of: node) <= Self.maximumLevels else {
            throw .refused(task, .depthLimit)
        }
        return applyChecked([
            .move(
                task: task, section: sectionTable.id(of: sectionNode(above: parent)),
                parent: isSection(parent) ? nil : table.id(of: parent), position: position)
        ])
    }

    private mutating func undoDelete(
        _ task: TaskID, _ step: UndoPlan.Step
    ) throws(UndoConflict) -> [ListOperation] {
        let subtree = step.inverse.compactMap { operation -> ListTask? in
            if case .insert(let task) = operation { task } else { nil }
        }
        for one in subtree where contains(one.id) { throw .taskExists(one.id) }
        guard let root = subtree.first else { throw .placeGone(task) }
        let (parent, position) = try formerPlace(of: task, root.placement, step)
        guard !displacesLocked(in: parent, at: position) else { throw .refused(task, .locked) }
        let height = subtree.reduce(1) { max($0, $1.depth - root.depth + 1) }
        guard depth(of: parent) + 1 + height <= Self.maximumLevels else {
            throw .refused(task, .depthLimit)
        }
        noteChange()
        insert(root.content, into: parent, at: position)
        for one in subtree.dropFirst() {
            guard let above = one.placement.parent.flatMap({ table.node(for: $0) })
            else { continue }
            insert(one.content, into: above, at: one.placement.position)
        }
        return self.subtree(of: task).map { .insert($0) }
    }

    private mutating func undoInsert(
        _ made: TaskContent
    ) throws(UndoConflict) -> [ListOperation] {
        guard let node = table.node(for: made.id) else { throw .taskGone(made.id) }
        guard forest.childCount(of: node) == 0 else { throw .taskHasSubtasks(made.id) }
        let content = content(at: node)
        guard content.title.isWritten(like: made.title), content.done == made.done,
            content.locked == made.locked, DataUpdate(made.data).matches(content.data)
        else { throw .taskChanged(made.id) }
        guard !isLocked(node) else { throw .refused(made.id, .locked) }
        return applyChecked([.delete(task: made.id)])
    }

    private mutating func restore(
        _ task: TaskID, _ set: TaskUpdate, _ step: UndoPlan.Step
    ) throws(UndoConflict) -> [ListOperation] {
        guard let node = table.node(for: task) else { throw .taskGone(task) }
        guard content(at: node).changes(in: set).isEmpty else { throw .taskChanged(task) }
        return applyChecked(step.inverse)
    }

    private mutating func undoCollapse(
        _ task: TaskID, _ collapsed: Bool, _ step: UndoPlan.Step
    ) throws(UndoConflict) -> [ListOperation] {
        guard let node = table.node(for: task) else { throw .taskGone(task) }
        // Expanding a task that a move collapsed does not prevent undoing the move.
        guard forest.isCollapsed(node) == collapsed else { return [] }
        return applyChecked(step.inverse)
    }

    /// A task's former place among its current siblings: the parent's node, and the position
    /// counted with the task at its current place.
    private func formerPlace(
        of task: TaskID, _ place: Placement, _ step: UndoPlan.Step
    ) throws(UndoConflict) -> (parent: NodeID, position: Int) {
        guard let parent = parentNode(section: place.section, parent: place.parent)
        else { throw .placeGone(task) }
        let position = gap(
            for: table.node(for: task), at: place.position,
            between: step.previous.flatMap { table.node(for: $0) },
            and: step.next.flatMap { table.node(for: $0) }, under: parent)
        return (parent, position)
    }

    /// Returns the position after the former predecessor, else the position before the former
    /// successor, else the former position. It is counted with the node at its current place, if it
    /// has one.
    private func gap(
        for moved: NodeID?, at position: Int, between previous: NodeID?, and next: NodeID?,
        under parent: NodeID
    ) -> Int {
        if let previous, forest.parent(of: previous) == parent {
            return forest.position(of: previous) + 1
        }
        if let next, forest.parent(of: next) == parent { return forest.position(of: next) }
        guard let moved, forest.parent(of: moved) == parent else {
            return min(position, forest.childCount(of: parent))
        }
        let last = min(position, forest.childCount(of: parent) - 1)
        return forest.position(of: moved) < last ? last + 1 : last
    }

    // MARK: The list and its sections

    private mutating func restore(
        _ set: SettingsUpdate, _ step: UndoPlan.Step
    ) throws(UndoConflict) -> [ListOperation] {
        guard settings.changes(in: set).isEmpty else { throw .settingsChanged }
        return applyChecked(step.inverse)
    }

    private mutating func undoSection(
        _ step: UndoPlan.Step
    ) throws(UndoConflict) -> [ListOperation] {
        switch step.operation {
        case .sectionInsert(let section, let title, _, let data, let maxTasks):
            let node = try existingSection(section)
            guard forest.childCount(of: node) == 0 else { throw .sectionHasTasks(section) }
            guard sectionTitle(at: node).isWritten(like: title),
                DataUpdate(data).matches(sectionData(at: node)),
                maxTasks == sectionLimit(at: node)
            else { throw .sectionChanged(section) }
            return applyChecked([.sectionDelete(section: section)])
        case .sectionUpdate(let section, let title, let data, let maxTasks):
            let node = try existingSection(section)
            guard
                case .sectionUpdate(_, let former, let formerData, let formerLimit)? = step.inverse
                    .first
            else { throw .sectionGone(section) }
            // An operation always has a title. If it is the former one, only the data was changed.
            let isRenamed = !former.isWritten(like: title)
            guard !isRenamed || sectionTitle(at: node).isWritten(like: title),
                data?.matches(sectionData(at: node)) ?? true,
                maxTasks.map({ $0.limit == sectionLimit(at: node) }) ?? true
            else { throw .sectionChanged(section) }
            return applyChecked([
                .sectionUpdate(
                    section: section, title: isRenamed ? former : sectionTitle(at: node),
                    data: formerData, maxTasks: formerLimit)
            ])
        case .sectionMove(let section, _):
            let node = try existingSection(section)
            guard case .sectionMove(_, let former)? = step.inverse.first
            else { throw .sectionGone(section) }
            let gap = formerPosition(of: section, former, step)
            let position = sectionPosition(of: node) < gap ? gap - 1 : gap
            guard position != sectionPosition(of: node) else { return [] }
            guard !displacesLocked(movingSection: node, to: position) else {
                throw .sectionLocked(section)
            }
            return applyChecked([.sectionMove(section: section, position: position)])
        case .sectionDelete(let section):
            guard !contains(section: section) else { throw .sectionExists(section) }
            guard
                case .sectionInsert(_, let title, let former, let data, let maxTasks)? = step
                    .inverse
                    .first
            else { throw .sectionGone(section) }
            return applyChecked([
                .sectionInsert(
                    section: section, title: title,
                    position: formerPosition(of: section, former, step), data: data,
                    maxTasks: maxTasks)
            ])
        default: return []
        }
    }

    private func existingSection(_ section: SectionID) throws(UndoConflict) -> NodeID {
        guard let node = sectionTable.nodes[section] else { throw .sectionGone(section) }
        return node
    }

    /// The index at which a section returns to its former place. It is counted with the section at
    /// its current place.
    private func formerPosition(
        of section: SectionID, _ position: Int, _ step: UndoPlan.Step
    ) -> Int {
        // If `previous` is nil, this is the root's first child, which has the tasks without a
        // section.
        gap(
            for: sectionTable.nodes[section], at: position + 1,
            between: sectionTable.node(for: step.previous),
            and: step.next.flatMap { sectionTable.nodes[$0] }, under: Forest.root
        ) - 1
    }
}
