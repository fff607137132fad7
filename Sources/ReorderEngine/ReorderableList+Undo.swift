/// Why a change can't be taken back. The list is as it was before.
public enum UndoConflict: Error, Sendable, Equatable {
    /// A task that the change moved, made or changed is not in the list any more.
    case taskGone(TaskID)
    /// A task is not what the change made of it: taking it back would undo what came later.
    case taskChanged(TaskID)
    /// A task that the change made has subtasks by now.
    case taskHasSubtasks(TaskID)
    /// The parent or the section is gone in which the task stood.
    case placeGone(TaskID)
    /// There is a task of the id of a deleted one again.
    case taskExists(TaskID)
    /// A rule of the list says no to what taking back would do with the task.
    case refused(TaskID, Refusal)
    case sectionGone(SectionID)
    case sectionChanged(SectionID)
    /// A section that the change made has tasks by now.
    case sectionHasTasks(SectionID)
    /// There is a section of the id of a deleted one again.
    case sectionExists(SectionID)
    /// Moved back, the section would displace locked rows.
    case sectionLocked(SectionID)
    /// A setting is not what the change made of it.
    case settingsChanged
    /// The change replaced the list as a whole.
    case replaced

    /// The task that stands in the way.
    public var task: TaskID? {
        switch self {
        case .taskGone(let task), .taskChanged(let task), .taskHasSubtasks(let task),
            .placeGone(let task), .taskExists(let task), .refused(let task, _):
            task
        case .sectionGone, .sectionChanged, .sectionHasTasks, .sectionExists, .sectionLocked,
            .settingsChanged, .replaced:
            nil
        }
    }
}

/// What taking a change back did.
public struct UndoOutcome: Sendable, Equatable {
    /// The new change in normal form; empty where everything is as it was before the change already.
    public var operations: [ListOperation]
    /// The tasks that were moved, changed or brought back.
    public var tasks: [TaskID]
    /// Those of `tasks` that were brought back.
    public var inserted: [TaskID]
    /// The tasks that went.
    public var deleted: [TaskID]
}

extension ReorderableList {
    /// Takes a change back, as this list is now.
    ///
    /// Where nothing came after the change, the list becomes exactly what it was, and no rule is
    /// asked. Otherwise the operations are taken back one by one, the last one first:
    /// - What was moved goes back behind its former neighbour, else before the next one, else to its
    ///   position, among its former siblings; the rules are those of a move.
    /// - What was deleted comes back there, with its subtree.
    /// - What was made goes, where it is as it was made and holds nothing.
    /// - What was changed gets its former value, where it has the one that the change gave it.
    ///
    /// O(log n) an operation and a task of a deleted subtree; O(number of sections) for sections.
    ///
    /// - Parameters:
    ///   - operations: the change's, in normal form.
    ///   - before: the list as it was before the change.
    ///   - isLast: whether this is the list as the change left it.
    /// - Throws: the first conflict; the list is as it was.
    public mutating func undo(
        _ operations: [ListOperation], before: ReorderableList, isLast: Bool
    ) throws(UndoConflict) -> UndoOutcome {
        var formers: [ReorderableList] = []
        var former = before
        for operation in operations {
            formers.append(former)
            guard (try? former.apply(operation)) != nil else { throw .replaced }
        }
        var undone = self
        var taken: [ListOperation] = []
        for (operation, former) in zip(operations, formers).reversed() {
            if isLast {
                guard let inverse = try? former.inverse(of: operation),
                    (try? undone.apply(inverse)) != nil
                else { throw .replaced }
                taken += inverse
            } else {
                taken += try undone.takeBack(operation, former)
            }
        }
        undone.assertInvariants()
        let outcome = UndoOutcome(taken, from: self, to: undone)
        self = undone
        return outcome
    }

    private mutating func takeBack(
        _ operation: ListOperation, _ former: ReorderableList
    ) throws(UndoConflict) -> [ListOperation] {
        switch operation {
        case .move(let task, _, _, _): try moveBack(task, former)
        case .insert(let task): try removeAgain(task.content)
        case .update(let task, let set): try restore(task, set, former)
        case .collapse(let task, let collapsed): try unfold(task, collapsed, former)
        case .delete(let task): try bringBack(task, former)
        case .list(let set): try restore(set, former)
        case .sectionInsert, .sectionUpdate, .sectionMove, .sectionDelete:
            try takeBackSection(operation, former)
        case .replace: throw .replaced
        }
    }

    // MARK: Tasks

    private mutating func moveBack(
        _ task: TaskID, _ former: ReorderableList
    ) throws(UndoConflict) -> [ListOperation] {
        guard let node = table.node(for: task) else { throw .taskGone(task) }
        let (parent, gap) = try formerPlace(of: task, former)
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
        _ task: TaskID, _ former: ReorderableList
    ) throws(UndoConflict) -> [ListOperation] {
        let subtree = former.subtree(of: task)
        for one in subtree where contains(one.id) { throw .taskExists(one.id) }
        let (parent, position) = try formerPlace(of: task, former)
        guard !displacesLocked(in: parent, at: position) else { throw .refused(task, .locked) }
        guard let root = former.table.node(for: task),
            depth(of: parent) + 1 + former.forest.height(of: root) <= Self.maximumLevels
        else { throw .refused(task, .depthLimit) }
        insert(former.content(at: root), into: parent, at: position)
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
        _ task: TaskID, _ set: TaskUpdate, _ former: ReorderableList
    ) throws(UndoConflict) -> [ListOperation] {
        guard let node = table.node(for: task) else { throw .taskGone(task) }
        let content = content(at: node)
        let data: String? = if case .set(let data) = set.data { data } else { nil }
        guard set.title.map({ content.title.isWritten(like: $0) }) ?? true,
            set.done.map({ content.done == $0 }) ?? true,
            set.locked.map({ content.locked == $0 }) ?? true,
            set.data == nil || isWritten(content.data, like: data),
            let inverse = try? former.inverse(of: .update(task: task, set: set))
        else { throw .taskChanged(task) }
        return perform(inverse)
    }

    private mutating func unfold(
        _ task: TaskID, _ collapsed: Bool, _ former: ReorderableList
    ) throws(UndoConflict) -> [ListOperation] {
        guard let node = table.node(for: task) else { throw .taskGone(task) }
        // Who opens again what a move has collapsed may still take back the move.
        guard forest.isCollapsed(node) == collapsed else { return [] }
        guard let inverse = try? former.inverse(of: .collapse(task: task, collapsed: collapsed))
        else { throw .taskChanged(task) }
        return perform(inverse)
    }

    /// Where a task stood, among its siblings as they are now: the parent's node, and the position
    /// counted with the task where it is.
    private func formerPlace(
        of task: TaskID, _ former: ReorderableList
    ) throws(UndoConflict) -> (parent: NodeID, position: Int) {
        guard let node = former.table.node(for: task), let place = former.placement(of: task),
            let above = former.forest.parent(of: node),
            let parent = parentNode(section: place.section, parent: place.parent)
        else { throw .placeGone(task) }
        let position = gap(
            for: table.node(for: task), at: place.position,
            count: former.forest.childCount(of: above), under: parent
        ) { table.node(for: former.table.id(of: former.forest.child(of: above, at: $0))) }
        return (parent, position)
    }

    /// Behind the former neighbour, else before the next one, else where the position itself is once
    /// the node is there; counted with it where it is now, if it is anywhere.
    private func gap(
        for moved: NodeID?, at position: Int, count: Int, under parent: NodeID,
        _ node: (Int) -> NodeID?
    ) -> Int {
        if position > 0, let before = node(position - 1), forest.parent(of: before) == parent {
            return forest.position(of: before) + 1
        }
        if position + 1 < count, let next = node(position + 1), forest.parent(of: next) == parent {
            return forest.position(of: next)
        }
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
        _ set: SettingsUpdate, _ former: ReorderableList
    ) throws(UndoConflict) -> [ListOperation] {
        guard set.title.map({ settings.title.isWritten(like: $0) }) ?? true,
            set.elementsOffset.map({ settings.elementsOffset == $0 }) ?? true,
            set.collapseSubElements.map({ settings.collapseSubElements == $0 }) ?? true,
            set.moves.map({ settings.moves == $0 }) ?? true,
            let inverse = try? former.inverse(of: .list(set: set))
        else { throw .settingsChanged }
        return perform(inverse)
    }

    private mutating func takeBackSection(
        _ operation: ListOperation, _ former: ReorderableList
    ) throws(UndoConflict) -> [ListOperation] {
        switch operation {
        case .sectionInsert(let section, let title, _):
            let node = try sectionStillThere(section)
            guard forest.childCount(of: node) == 0 else { throw .sectionHasTasks(section) }
            guard sectionTitle(at: node).isWritten(like: title) else {
                throw .sectionChanged(section)
            }
            return perform([.sectionDelete(section: section)])
        case .sectionUpdate(let section, let title):
            let node = try sectionStillThere(section)
            guard sectionTitle(at: node).isWritten(like: title),
                let inverse = try? former.inverse(of: operation)
            else { throw .sectionChanged(section) }
            return perform(inverse)
        case .sectionMove(let section, _):
            let node = try sectionStillThere(section)
            let gap = formerPosition(of: section, former)
            let position = sectionPosition(of: node) < gap ? gap - 1 : gap
            guard position != sectionPosition(of: node) else { return [] }
            guard !displacesLocked(movingSection: node, to: position) else {
                throw .sectionLocked(section)
            }
            return perform([.sectionMove(section: section, position: position)])
        case .sectionDelete(let section):
            guard !contains(section: section) else { throw .sectionExists(section) }
            return perform([
                .sectionInsert(
                    section: section, title: former.section(section)?.title ?? "",
                    position: formerPosition(of: section, former))
            ])
        default: return []
        }
    }

    private func sectionStillThere(_ section: SectionID) throws(UndoConflict) -> NodeID {
        guard let node = sectionTable.nodes[section] else { throw .sectionGone(section) }
        return node
    }

    /// Where a section stood among the sections as they are now, counted with it where it is.
    private func formerPosition(of section: SectionID, _ former: ReorderableList) -> Int {
        let order = former.sections.map(\.id)
        guard let position = order.firstIndex(of: section) else { return 0 }
        // The first child is what stands without a section.
        return gap(
            for: sectionTable.nodes[section], at: position + 1, count: order.count + 1,
            under: Forest.root
        ) {
            $0 == 0 ? sectionTable.unsectioned : sectionTable.nodes[order[$0 - 1]]
        } - 1
    }
}

extension UndoOutcome {
    fileprivate init(
        _ operations: [ListOperation], from before: ReorderableList, to after: ReorderableList
    ) {
        self.init(operations: operations, tasks: [], inserted: [], deleted: [])
        var seen: Set<TaskID> = []
        for operation in operations {
            switch operation {
            case .move(let task, _, _, _), .update(let task, _), .collapse(let task, _):
                note(task, &seen, before, after)
            case .insert(let task): note(task.id, &seen, before, after)
            case .delete(let task):
                for one in before.subtree(of: task) { note(one.id, &seen, before, after) }
                note(task, &seen, before, after)
            default: break
            }
        }
    }

    private mutating func note(
        _ task: TaskID, _ seen: inout Set<TaskID>, _ before: ReorderableList,
        _ after: ReorderableList
    ) {
        guard seen.insert(task).inserted else { return }
        let (was, stays) = (before.contains(task), after.contains(task))
        if stays { tasks.append(task) }
        if stays, !was { inserted.append(task) }
        if was, !stays { deleted.append(task) }
    }
}
