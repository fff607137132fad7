/// The operations that turn a list into another one.
package struct ListDifference: Sendable {
    package private(set) var operations: [ListOperation] = []
    /// The list after the operations. It equals the other one, except that the tasks that the
    /// operations move have the time and author of the change.
    package private(set) var list: ReorderableList
    private let target: ReorderableList
    private let maximumCount: Int

    private enum Failure: Error { case tooManyOperations }

    /// Returns nil if more operations are necessary, or if they can't give exactly the other list,
    /// for example because a task of it has another `createdAt`.
    ///
    /// Siblings that stay in their order are not moved; of all such sets, the largest one is taken.
    /// O(tasks · log siblings), and O(log n) for each operation.
    ///
    /// - Parameters:
    ///   - list: the list, with the `changeStamp` of the change.
    ///   - target: the other list.
    ///   - maximumCount: the maximum number of operations.
    package init?(from list: ReorderableList, to target: ReorderableList, maximumCount: Int) {
        self.list = list
        self.target = target
        self.maximumCount = maximumCount
        do {
            try makeOperations(former: list)
        } catch {
            return nil
        }
        guard self.list == expected(list.changeStamp) else { return nil }
    }

    /// The other list, with the stamps of the tasks that were moved.
    private func expected(_ stamp: ChangeStamp?) -> ReorderableList {
        var expected = target
        expected.changeStamp = stamp
        for case .move(let task, _, _, _) in operations {
            if let node = expected.table.node(for: task) { expected.noteChange(of: node) }
        }
        return expected
    }

    private mutating func makeOperations(former: ReorderableList) throws {
        let settings = list.settings.changes(in: SettingsUpdate(target.settings))
        if !settings.isEmpty { try add(.list(set: settings)) }
        try placeSections()
        // Each parent is at its place before its children, so no task can be moved into its own subtree.
        for node in target.forest.preorder(of: Forest.root) where node != Forest.root {
            try placeChildren(of: node)
            if target.forest.isRow(node) { try update(node, former: former) }
        }
        try deleteRest()
    }

    private mutating func add(_ operation: ListOperation) throws {
        guard operations.count < maximumCount else { throw Failure.tooManyOperations }
        try list.apply(operation)
        operations.append(operation)
    }

    // MARK: Sections

    private mutating func placeSections() throws {
        let sections = target.sections
        let staying = Self.staying(list.sections.map(\.id), in: sections.map(\.id))
        var position = 0
        for section in sections {
            guard let old = list.section(section.id) else {
                try add(
                    .sectionInsert(
                        section: section.id, title: section.title, position: position,
                        data: section.data, maxTasks: section.maxTasks))
                position += 1
                continue
            }
            let from = list.sectionPosition(of: try list.existingNode(ofSection: section.id))
            if staying.contains(section.id) {
                position = from + 1
            } else {
                if from < position { position -= 1 }
                try add(.sectionMove(section: section.id, position: position))
                position += 1
            }
            let data = DataUpdate(section.data)
            let keepsData = data.matches(old.data)
            let keepsLimit = section.maxTasks == old.maxTasks
            guard !keepsData || !keepsLimit || !section.title.isWritten(like: old.title) else {
                continue
            }
            try add(
                .sectionUpdate(
                    section: section.id, title: section.title, data: keepsData ? nil : data,
                    maxTasks: keepsLimit ? nil : LimitUpdate(section.maxTasks)))
        }
    }

    // MARK: Tasks

    /// Moves and inserts tasks, so that a parent or section has the children of `node` in their order.
    /// Between them, it can still have tasks that go elsewhere or are deleted.
    private mutating func placeChildren(of node: NodeID) throws {
        let children = Array(target.forest.children(of: node))
        guard let first = children.first else { return }
        let place = target.placement(at: first)
        let parent =
            try place.parent.map { try list.existingNode(of: $0) }
            ?? list.sectionTable.node(for: place.section)
        guard let parent else { throw OperationError.needsDocument }
        let ids = children.map { target.table.id(of: $0) }
        let present = list.forest.children(of: parent).map { list.table.id(of: $0) }
        guard present != ids else { return }
        let staying = Self.staying(present, in: ids)
        var position = 0
        for (child, id) in zip(children, ids) {
            guard let node = list.table.node(for: id) else {
                try insert(child, section: place.section, parent: place.parent, at: position)
                position += 1
                continue
            }
            let from = list.forest.parent(of: node) == parent ? list.forest.position(of: node) : nil
            if staying.contains(id), let from {
                position = from + 1
            } else {
                if let from, from < position { position -= 1 }
                try add(
                    .move(
                        task: id, section: place.section, parent: place.parent, position: position))
                position += 1
            }
        }
    }

    private mutating func insert(
        _ node: NodeID, section: SectionID?, parent: TaskID?, at position: Int
    ) throws {
        var task = target.task(at: node)
        task.placement = Placement(
            section: section, parent: parent, position: position, row: nil)
        task.subtasks = 0
        try add(.insert(task))
        // With the row that the task has now.
        if let inserted = list.task(task.id) {
            operations[operations.count - 1] = .insert(inserted)
        }
    }

    /// Gives a task its content.
    private mutating func update(_ node: NodeID, former: ReorderableList) throws {
        let new = target.content(at: node)
        guard let oldNode = former.table.node(for: new.id) else { return }
        let old = former.content(at: oldNode)
        let completed = new.stamps.completed
        let update = old.changes(
            in: TaskUpdate(
                title: new.title, done: new.done, locked: new.locked, data: DataUpdate(new.data),
                completed: completed == list.changeStamp ? nil : completed))
        if !update.isEmpty { try add(.update(task: new.id, set: update)) }
        if new.collapsed != old.collapsed {
            try add(.collapse(task: new.id, collapsed: new.collapsed))
        }
    }

    /// Deletes the tasks and sections that the other list does not have. All others are at their places.
    private mutating func deleteRest() throws {
        guard list.count > target.count || list.sectionCount > target.sectionCount else { return }
        let rest = list.forest.preorder(of: Forest.root).filter { node in
            list.forest.isRow(node) && !target.contains(list.table.id(of: node))
        }
        for id in rest.map({ list.table.id(of: $0) }) where list.contains(id) {
            try add(.delete(task: id))
        }
        for section in list.sections where target.section(section.id) == nil {
            try add(.sectionDelete(section: section.id))
        }
    }

    /// The ids that need not be moved to get another order.
    private static func staying(_ present: [String], in order: [String]) -> Set<String> {
        let ranks = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        let common = present.filter { ranks[$0] != nil }
        let longest = longestIncreasingSubsequence(of: common.compactMap { ranks[$0] })
        return Set(longest.map { common[$0] })
    }
}

extension SettingsUpdate {
    /// All settings.
    fileprivate init(_ settings: ListSettings) {
        self.init(
            title: settings.title, elementsOffset: settings.elementsOffset,
            collapseSubElements: settings.collapseSubElements, moves: settings.moves,
            maxDepth: LimitUpdate(settings.maxDepth),
            maxTasksPerSection: LimitUpdate(settings.maxTasksPerSection),
            tasksPerParent: LimitUpdate(settings.tasksPerParent), data: DataUpdate(settings.data))
    }
}
