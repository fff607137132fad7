extension ReorderableList {
    /// Undoes a change, as this list is now.
    ///
    /// If nothing came after the change, the list becomes exactly what it was, and no rule is checked.
    /// Otherwise the operations are undone one by one, the last one first:
    /// - A moved task goes back behind its former neighbor, else before the next one, else to its
    ///   position, among its former siblings; the rules are those of a move.
    /// - A deleted task comes back there, with its subtree.
    /// - A created task goes, if it is as it was created and has no subtasks.
    /// - A changed value becomes the former one, if it is the one that the change made it.
    ///
    /// O(log n) an operation and a task of a deleted subtree. Beside the plan it takes the pages of
    /// memory that the operations change, once each.
    ///
    /// - Parameters:
    ///   - plan: the change's.
    ///   - isLast: whether this is the list as the change left it.
    ///   - shouldContinue: called before each operation.
    /// - Throws: the first conflict, or `interrupted`; the list is as it was.
    public mutating func undo(
        _ plan: UndoPlan, isLast: Bool, while shouldContinue: () -> Bool = { true }
    ) throws(UndoConflict) -> UndoOutcome {
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
                taken += try undone.takeBack(step)
            }
        }
        undone.assertInvariants()
        let outcome = UndoOutcome(taken, from: self, to: undone)
        self = undone
        return outcome
    }

    private mutating func takeBack(
        _ step: UndoPlan.Step
    ) throws(UndoConflict) -> [ListOperation] {
        switch step.operation {
        case .move(let task, _, _, _): try moveBack(task, step)
        case .insert(let task): try removeAgain(task.content)
        case .update(let task, let set): try restore(task, set, step)
        case .collapse(let task, let collapsed): try unfold(task, collapsed, step)
        case .delete(let task): try bringBack(task, step)
        case .list(let set): try restore(set, step)
        case .sectionInsert, .sectionUpdate, .sectionMove, .sectionDelete:
            try takeBackSection(step)
        case .replace: throw .replaced
        }
    }

    // MARK: Tasks

    private mutating func moveBack(
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
            // It counts after the task is taken out.
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
        return perform([
            .move(
                task: task, section: sectionTable.id(of: sectionNode(above: parent)),
                parent: isSection(parent) ? nil : table.id(of: parent), position: position)
        ])
    }

    private mutating func bringBack(
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
        insert(root.content, into: parent, at: position)
        for one in subtree.dropFirst() {
            guard let above = one.placement.parent.flatMap({ table.node(for: $0) })
            else { continue }
            insert(one.content, into: above, at: one.placement.position)
        }
        return self.subtree(of: task).map { .insert($0) }
    }

    private mutating func removeAgain(
        _ made: TaskContent
    ) throws(UndoConflict) -> [ListOperation] {
        guard let node = table.node(for: made.id) else { throw .taskGone(made.id) }
        guard forest.childCount(of: node) == 0 else { throw .taskHasSubtasks(made.id) }
        let content = content(at: node)
        guard content.title.isWritten(like: made.title), content.done == made.done,
            content.locked == made.locked, isWritten(content.data, like: made.data)
        else { throw .taskChanged(made.id) }
        guard !isLocked(node) else { throw .refused(made.id, .locked) }
        return perform([.delete(task: made.id)])
    }

    private mutating func restore(
        _ task: TaskID, _ set: TaskUpdate, _ step: UndoPlan.Step
    ) throws(UndoConflict) -> [ListOperation] {
        guard let node = table.node(for: task) else { throw .taskGone(task) }
        let content = content(at: node)
        let data: String? = if case .set(let data) = set.data { data } else { nil }
        guard set.title.map({ content.title.isWritten(like: $0) }) ?? true,
            set.done.map({ content.done == $0 }) ?? true,
            set.locked.map({ content.locked == $0 }) ?? true,
            set.data == nil || isWritten(content.data, like: data)
        else { throw .taskChanged(task) }
        return perform(step.inverse)
    }

    private mutating func unfold(
        _ task: TaskID, _ collapsed: Bool, _ step: UndoPlan.Step
    ) throws(UndoConflict) -> [ListOperation] {
        guard let node = table.node(for: task) else { throw .taskGone(task) }
        // Who opens again what a move has collapsed may still take back the move.
        guard forest.isCollapsed(node) == collapsed else { return [] }
        return perform(step.inverse)
    }

    /// Where a task stood, among its siblings as they are now: the parent's node, and the position
    /// counted with the task where it is.
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

    /// Behind the former neighbor, else before the next one, else where the position itself is once
    /// the node is there; counted with it where it is now, if it is anywhere.
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

    private func isWritten(_ data: String?, like other: String?) -> Bool {
        guard let data, let other else { return data == nil && other == nil }
        return data.isWritten(like: other)
    }

    // MARK: The list and its sections

    private mutating func restore(
        _ set: SettingsUpdate, _ step: UndoPlan.Step
    ) throws(UndoConflict) -> [ListOperation] {
        guard set.title.map({ settings.title.isWritten(like: $0) }) ?? true,
            set.elementsOffset.map({ settings.elementsOffset == $0 }) ?? true,
            set.collapseSubElements.map({ settings.collapseSubElements == $0 }) ?? true,
            set.moves.map({ settings.moves == $0 }) ?? true
        else { throw .settingsChanged }
        return perform(step.inverse)
    }

    private mutating func takeBackSection(
        _ step: UndoPlan.Step
    ) throws(UndoConflict) -> [ListOperation] {
        switch step.operation {
        case .sectionInsert(let section, let title, _):
            let node = try sectionStillThere(section)
            guard forest.childCount(of: node) == 0 else { throw .sectionHasTasks(section) }
            guard sectionTitle(at: node).isWritten(like: title) else {
                throw .sectionChanged(section)
            }
            return perform([.sectionDelete(section: section)])
        case .sectionUpdate(let section, let title):
            let node = try sectionStillThere(section)
            guard sectionTitle(at: node).isWritten(like: title) else {
                throw .sectionChanged(section)
            }
            return perform(step.inverse)
        case .sectionMove(let section, _):
            let node = try sectionStillThere(section)
            guard case .sectionMove(_, let former)? = step.inverse.first
            else { throw .sectionGone(section) }
            let gap = formerPosition(of: section, former, step)
            let position = sectionPosition(of: node) < gap ? gap - 1 : gap
            guard position != sectionPosition(of: node) else { return [] }
            guard !displacesLocked(movingSection: node, to: position) else {
                throw .sectionLocked(section)
            }
            return perform([.sectionMove(section: section, position: position)])
        case .sectionDelete(let section):
            guard !contains(section: section) else { throw .sectionExists(section) }
            guard case .sectionInsert(_, let title, let former)? = step.inverse.first
            else { throw .sectionGone(section) }
            return perform([
                .sectionInsert(
                    section: section, title: title,
                    position: formerPosition(of: section, former, step))
            ])
        default: return []
        }
    }

    private func sectionStillThere(_ section: SectionID) throws(UndoConflict) -> NodeID {
        guard let node = sectionTable.nodes[section] else { throw .sectionGone(section) }
        return node
    }

    /// Where a section stood among the sections as they are now, counted with it where it is.
    private func formerPosition(
        of section: SectionID, _ position: Int, _ step: UndoPlan.Step
    ) -> Int {
        // `nil` stands for the first child, which holds the tasks without a section.
        gap(
            for: sectionTable.nodes[section], at: position + 1,
            between: sectionTable.node(for: step.previous),
            and: step.next.flatMap { sectionTable.nodes[$0] }, under: Forest.root
        ) - 1
    }
}
