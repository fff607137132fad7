extension ReorderableList {
    /// Adds an empty section. O(log sections), or O(sections) if a copy of the list shares the
    /// sections.
    ///
    /// - Parameters:
    ///   - position: its index among the sections. nil, or an index past the end, means the end; a
    ///     negative index means 0.
    ///   - data: the app's free-form data.
    ///   - maxTasks: the most tasks at its top level; nil: `maxTasksPerSection` of the list counts.
    /// - Throws: `idTaken`.
    package mutating func createSection(
        _ section: SectionID, title: String, position: Int? = nil, data: String? = nil,
        maxTasks: Int? = nil
    ) throws(Refusal) -> [ListOperation] {
        guard !contains(section: section) else { throw .idTaken(section) }
        let end = forest.childCount(of: Forest.root) - 1
        let position = max(0, min(position ?? end, end))
        return applyChecked([
            .sectionInsert(
                section: section, title: title, position: position, data: data, maxTasks: maxTasks)
        ])
    }

    /// Changes a section's title; nil, or the current title, changes nothing. O(1).
    package mutating func renameSection(
        _ section: SectionID, title: String?
    ) throws(Refusal) -> [ListOperation] {
        try updateSection(section, title: title)
    }

    /// Changes a section's title, data and limit; nil or an equal value changes nothing. O(1).
    package mutating func updateSection(
        _ section: SectionID, title: String? = nil, data: DataUpdate? = nil,
        maxTasks: LimitUpdate? = nil
    ) throws(Refusal) -> [ListOperation] {
        let node = try sectionNode(section)
        let current = sectionTitle(at: node)
        let title = title ?? current
        let data = data?.matches(sectionData(at: node)) == true ? nil : data
        let maxTasks = maxTasks?.limit == sectionLimit(at: node) ? nil : maxTasks
        guard data != nil || maxTasks != nil || !current.isWritten(like: title) else { return [] }
        return applyChecked([
            .sectionUpdate(section: section, title: title, data: data, maxTasks: maxTasks)
        ])
    }

    /// Moves a section with its tasks. O(log sections).
    ///
    /// - Parameter position: its index among the other sections. nil, or an index past the end,
    ///   means the end; a negative index means 0.
    /// - Throws: `sectionNotFound`, or `locked` if a locked row would be displaced.
    package mutating func moveSection(
        _ section: SectionID, position: Int?
    ) throws(Refusal) -> [ListOperation] {
        let node = try sectionNode(section)
        let end = forest.childCount(of: Forest.root) - 2
        let position = max(0, min(position ?? end, end))
        guard sectionPosition(of: node) != position else { return [] }
        guard !displacesLocked(movingSection: node, to: position) else { throw .locked }
        return applyChecked([.sectionMove(section: section, position: position)])
    }

    /// What happens to a deleted section's tasks.
    public enum SectionTasks: String, Sendable, CaseIterable {
        /// They move, in order, to the end of the tasks without a section.
        case keep
        /// They are deleted with their subtrees.
        case delete
    }

    /// Deletes a section. The cost is that of `createSection`, and O(log n) for each task at its
    /// top level.
    ///
    /// - Throws: `sectionNotFound`, or `locked` if a locked row would be moved, displaced or
    ///   deleted.
    package mutating func deleteSection(
        _ section: SectionID, tasks: SectionTasks
    ) throws(Refusal) -> DeleteOutcome {
        let node = try sectionNode(section)
        let topLevel = Array(forest.children(of: node))
        let unsectioned = sectionTable.unsectioned
        let end = forest.childCount(of: unsectioned)
        var operations: [ListOperation]
        var deleted: [TaskID] = []
        switch tasks {
        case .keep:
            guard
                !topLevel.contains(where: { isLocked($0) }),
                topLevel.isEmpty || !displacesLocked(in: unsectioned, at: end)
            else { throw .locked }
            operations = topLevel.enumerated().map { index, task in
                .move(
                    task: table.id(of: task), section: nil, parent: nil, position: end + index)
            }
        case .delete:
            guard !topLevel.contains(where: { holdsLocked($0) }) else { throw .locked }
            operations = topLevel.map { .delete(task: table.id(of: $0)) }
            deleted = forest.preorder(of: node).dropFirst().map { table.id(of: $0) }
        }
        operations.append(.sectionDelete(section: section))
        return DeleteOutcome(operations: applyChecked(operations), deleted: deleted)
    }

    private func sectionNode(_ section: SectionID) throws(Refusal) -> NodeID {
        guard let node = sectionTable.nodes[section] else { throw .sectionNotFound(section) }
        return node
    }
}
