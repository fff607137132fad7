import ReorderEngine

/// Undoing an earlier change on the current list.
extension ListModel {
    /// Why a change can't be undone.
    package struct Conflict: Error {}

    /// Undoes a change that is not the last one, by the rules of `ReorderableList.undo`.
    ///
    /// - Parameters:
    ///   - operations: the change in normal form.
    ///   - before: the list before the change.
    package mutating func undo(_ operations: [ListOperation], before: ListModel) throws {
        var states = [before]
        for operation in operations {
            var next = states[states.count - 1]
            try next.replay(operation)
            states.append(next)
        }
        var undone = self
        for (operation, former) in zip(operations, states).reversed() {
            try undone.undo(operation, former: former)
        }
        self = undone
    }

    /// - Parameter former: the list directly before the operation.
    private mutating func undo(_ operation: ListOperation, former: ListModel) throws {
        switch operation {
        case .move(let id, _, _, _):
            guard let node = node(id) else { throw Conflict() }
            try put(node, backAsIn: former)
        case .delete(let id):
            guard let node = former.node(id) else { throw Conflict() }
            if former.subtree(of: id).contains(where: { task($0) != nil }) { throw Conflict() }
            try put(node, backAsIn: former)
        case .insert(let made):
            guard let task = task(made.id), task.subtasks == 0, !isLocked(task),
                task.content.title == made.content.title, task.content.done == made.content.done,
                task.content.locked == made.content.locked, task.content.data == made.content.data
            else { throw Conflict() }
            remove(made.id)
        case .update(let id, let set):
            guard let now = task(id)?.content, let then = former.task(id)?.content else {
                throw Conflict()
            }
            var expected = now
            expected.apply(set)
            guard expected == now else { throw Conflict() }
            edit(id) { content in
                if set.title != nil { content.title = then.title }
                if set.done != nil { content.done = then.done }
                if set.locked != nil { content.locked = then.locked }
                if set.data != nil { content.data = then.data }
            }
        case .collapse(let id, let collapsed):
            guard task(id) != nil else { throw Conflict() }
            edit(id) { if $0.collapsed == collapsed { $0.collapsed.toggle() } }
        case .list(let set):
            var expected = settings
            expected.apply(set)
            guard expected == settings else { throw Conflict() }
            if set.title != nil { settings.title = former.settings.title }
            if set.elementsOffset != nil {
                settings.elementsOffset = former.settings.elementsOffset
            }
            if set.collapseSubElements != nil {
                settings.collapseSubElements = former.settings.collapseSubElements
            }
            if set.moves != nil { settings.moves = former.settings.moves }
            if set.maxDepth != nil { settings.maxDepth = former.settings.maxDepth }
            if set.maxTasksPerSection != nil {
                settings.maxTasksPerSection = former.settings.maxTasksPerSection
            }
            if set.tasksPerParent != nil {
                settings.tasksPerParent = former.settings.tasksPerParent
            }
            if set.data != nil { settings.data = former.settings.data }
        case .sectionInsert(let id, let title, _, _, _):
            guard let index = sections.firstIndex(where: { $0.id == id }),
                sections[index].tasks.isEmpty, sections[index].title == title
            else { throw Conflict() }
            sections.remove(at: index)
        case .sectionUpdate(let id, let title, _, _):
            guard let index = sections.firstIndex(where: { $0.id == id }),
                let then = former.sections.first(where: { $0.id == id })?.title
            else { throw Conflict() }
            guard then == title || sections[index].title == title else { throw Conflict() }
            if then != title { sections[index].title = then }
        case .sectionMove(let id, _):
            guard let index = sections.firstIndex(where: { $0.id == id }) else {
                throw Conflict()
            }
            var moved = self
            let section = moved.sections.remove(at: index)
            moved.sections.insert(section, at: moved.formerIndex(of: id, former))
            if moved == self { return }
            guard moved.topLevelTasks(first: lockedRows.count) == lockedRows else {
                throw Conflict()
            }
            self = moved
        case .sectionDelete(let id):
            guard !has(section: id), let then = former.sections.first(where: { $0.id == id })
            else { throw Conflict() }
            sections.insert(Section(id: id, title: then.title), at: formerIndex(of: id, former))
        case .replace: throw Conflict()
        }
    }

    /// Moves or inserts a task to its former parent, next to its former neighbors.
    private mutating func put(_ node: Node, backAsIn former: ListModel) throws {
        let id = node.content.id
        guard let then = former.task(id)?.placement else { throw Conflict() }
        let exists = then.parent.map { task($0) != nil } ?? has(section: then.section)
        guard exists, !subtree(of: id).contains(where: { $0 == then.parent }) else {
            throw Conflict()
        }
        let siblings = then.parent.map { Siblings.under($0) } ?? .top(then.section)
        var moved = self
        moved.remove(id)
        let index = Self.index(
            of: id, at: then.position, in: former.nodes(siblings).map(\.content.id),
            among: moved.nodes(siblings).map(\.content.id))
        moved.insert([node], at: index, among: siblings)
        if moved == self { return }
        if let task = task(id) {
            if isLocked(task) { throw Conflict() }
            if settings.moves == .siblings, self.siblings(of: task) != siblings { throw Conflict() }
        }
        guard moved.topLevelTasks(first: lockedRows.count) == lockedRows,
            moved.depth(of: siblings) + node.levels <= 16
        else { throw Conflict() }
        self = moved
    }

    /// Where a section returns to, in a list without it.
    private func formerIndex(of id: SectionID, _ former: ListModel) -> Int {
        let then = former.sections.map(\.id)
        return Self.index(
            of: id, at: then.firstIndex(of: id) ?? 1, in: then, among: sections.map(\.id))
    }

    /// After its former predecessor; if that is gone, before its former successor; otherwise at its
    /// former position.
    private static func index<ID: Equatable>(
        of id: ID, at position: Int, in former: [ID], among rest: [ID]
    ) -> Int {
        let place = former.firstIndex(of: id) ?? 0
        if place > 0, let previous = rest.firstIndex(of: former[place - 1]) { return previous + 1 }
        if place + 1 < former.count, let next = rest.firstIndex(of: former[place + 1]) {
            return next
        }
        return min(position, rest.count)
    }
}
