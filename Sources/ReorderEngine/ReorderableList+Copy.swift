extension ReorderableList {
    /// Adds a copy of a task with its subtree, whose tasks have new ids. The copies have all content of
    /// the originals, including `done`, `locked`, `collapsed` and `data`, and the stamps of new tasks.
    ///
    /// The destination has the same meaning as in `create`. O(log n) for each task of the subtree.
    ///
    /// - Parameters:
    ///   - source: the list that contains the task; can be this list.
    ///   - makeID: returns the id of each copy, the task's own one first.
    /// - Throws: `taskNotFound`, `anchorGone`, `depthLimit`, `maxDepth`, `sectionFull`, `parentFull`,
    ///   `locked` (the destination), `idTaken`; the list is not changed then.
    package mutating func copy(
        _ task: TaskID, of source: ReorderableList, at destination: Destination = Destination(),
        makeID: () -> TaskID
    ) throws(Refusal) -> CopyOutcome {
        let original = try source.taskNode(task)
        var destination = destination
        if destination == Destination() { destination.place = .init(.section(nil)) }
        let target = try resolve(destination, for: .none)
        guard let gap = target.gap else { throw .anchorGone }
        guard depth(of: gap.parent) + source.forest.height(of: original) < Self.maximumLevels else {
            throw .depthLimit
        }
        try checkLimits(
            adding: 1, levels: source.forest.height(of: original), to: gap.parent,
            mostSubtasks: source.mostSubtasks(in: [original], for: self))
        guard !displacesLocked(in: gap.parent, at: gap.position) else { throw .locked }
        var ids: [NodeID: TaskID] = [:]
        var order: [NodeID] = []
        var seen: Set<TaskID> = []
        for node in source.forest.preorder(of: original) {
            let id = makeID()
            guard !contains(id), seen.insert(id).inserted else { throw .idTaken(id) }
            ids[node] = id
            order.append(node)
        }
        for node in order {
            var content = stamped(source.content(at: node))
            content.id = ids[node] ?? content.id
            if node == original {
                insert(content, into: gap.parent, at: gap.position)
            } else if let parent = source.forest.parent(of: node).flatMap({ ids[$0] }),
                let copy = table.node(for: parent)
            {
                insert(content, into: copy, at: forest.childCount(of: copy))
            }
        }
        noteChange()
        assertInvariants()
        let inserted = order.compactMap { ids[$0] }
        return CopyOutcome(
            operations: inserted.compactMap { self.task($0) }.map { .insert($0) },
            inserted: inserted, placedBy: target.placedBy)
    }

    /// A list with the same settings, sections and tasks, whose tasks have new ids, and no stamps.
    /// O(log n) for each task.
    ///
    /// - Parameter makeID: returns the id of each copy, in the order of the list.
    package func copied(makeID: () -> TaskID) throws(DocumentError) -> ReorderableList {
        try replacingContents { content in
            content.id = makeID()
            content.stamps = TaskStamps()
        }
    }

    /// The same list, in which tasks have other ids.
    ///
    /// - Parameter ids: the new ids of some of the tasks.
    package func renamingTasks(_ ids: [TaskID: TaskID]) throws(DocumentError) -> ReorderableList {
        var list = try replacingContents { $0.id = ids[$0.id] ?? $0.id }
        list.times = times
        return list
    }

    private func replacingContents(
        _ change: (inout TaskContent) -> Void
    ) throws(DocumentError) -> ReorderableList {
        var ids: [TaskID: TaskID] = [:]
        let entries = tasks.map { task -> Entry in
            var content = task.content
            change(&content)
            ids[task.id] = content.id
            let parent = task.placement.parent
            return Entry(
                content: content, section: parent == nil ? task.placement.section : nil,
                parent: parent.flatMap { ids[$0] })
        }
        let sectionData = sections.compactMap { section in section.data.map { (section.id, $0) } }
        let limits = sections.compactMap { section in section.maxTasks.map { (section.id, $0) } }
        return try ReorderableList(
            settings: settings, sections: sections.map { ($0.id, $0.title) }, tasks: entries,
            sectionData: Dictionary(uniqueKeysWithValues: sectionData),
            sectionLimits: Dictionary(uniqueKeysWithValues: limits))
    }
}

/// The result of copying a task.
package struct CopyOutcome: Sendable {
    /// The change of the list that received the copies, in normal form: one insertion for each task.
    package var operations: [ListOperation]
    /// The ids of the copies, each parent before its children.
    package var inserted: [TaskID]
    /// The part of the destination that was used.
    package var placedBy: PlacedBy
}
