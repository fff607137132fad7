extension ReorderableList {
    /// A task of a document from which a list is created. The document's order determines the
    /// positions.
    package struct Entry: Sendable, Equatable {
        /// The task's content.
        package var content: TaskContent
        /// nil for a subtask means the section of its parent.
        package var section: SectionID?
        /// The parent's id; nil at the top level of the section.
        package var parent: TaskID?

        /// Creates a task with its place.
        package init(content: TaskContent, section: SectionID? = nil, parent: TaskID? = nil) {
            self.content = content
            self.section = section
            self.parent = parent
        }
    }

    /// The reason why a document is invalid. The indices refer to the given arrays.
    package enum DocumentError: Error, Sendable, Equatable {
        case duplicateSection(index: Int)
        case duplicateTask(index: Int)
        case unknownSection(index: Int)
        /// No earlier task has the parent's id.
        case unknownParent(index: Int)
        /// A subtask's section differs from that of its parent.
        case sectionOfParentDiffers(index: Int)
        case tooDeep(index: Int)
    }

    /// Creates a list from sections and tasks, each parent before its children. The list can exceed its own
    /// limits. O(log n) for each task.
    ///
    /// - Parameters:
    ///   - sectionData: the data of those sections that have some.
    ///   - sectionLimits: the most tasks of those sections that have a limit of their own.
    package init(
        settings: ListSettings, sections: [(id: SectionID, title: String)], tasks: [Entry],
        sectionData: [SectionID: String] = [:], sectionLimits: [SectionID: Int] = [:]
    ) throws(DocumentError) {
        self.init(settings: settings)
        for (index, section) in sections.enumerated() {
            guard !contains(section: section.id) else { throw .duplicateSection(index: index) }
            insertSection(
                section.id, title: section.title, data: sectionData[section.id],
                maxTasks: sectionLimits[section.id], at: index)
        }
        for entry in tasks { try add(entry) }
        assertInvariants()
    }

    /// Appends the next task of a document, after its parent. If it throws, the list has not
    /// changed.
    /// O(log n).
    package mutating func append(_ entry: Entry) throws(DocumentError) {
        try add(entry)
        assertInvariants()
    }

    /// The index of a task among those of the document, in the document's order; nil if the list
    /// does not contain the task. O(1).
    ///
    /// - Precondition: the list was made from a document, and has not changed since.
    package func documentIndex(of task: TaskID) -> Int? {
        // Nodes have numbers in the order in which they were made. The root and the sections are first.
        table.node(for: task).map { Int($0.index) - (forest.nodeCount - count) }
    }

    /// - Precondition: all tasks of the list are those of the document before this one.
    private mutating func add(_ entry: Entry) throws(DocumentError) {
        let index = count
        guard !contains(entry.content.id) else { throw .duplicateTask(index: index) }
        let parent = try parentNode(of: entry, index: index)
        guard depth(of: parent) + 1 < Self.maximumLevels else { throw .tooDeep(index: index) }
        insert(entry.content, into: parent, at: forest.childCount(of: parent))
    }

    private func parentNode(of entry: Entry, index: Int) throws(DocumentError) -> NodeID {
        guard let parent = entry.parent else {
            guard let section = sectionTable.node(for: entry.section) else {
                throw .unknownSection(index: index)
            }
            return section
        }
        guard let node = table.node(for: parent) else { throw .unknownParent(index: index) }
        if let section = entry.section,
            section != sectionTable.id(of: sectionNode(above: node))
        {
            throw .sectionOfParentDiffers(index: index)
        }
        return node
    }
}

extension ReorderableList.DocumentError: CustomStringConvertible {
    /// The error, as a phrase; the first task and the first section have the number 0.
    package var description: String {
        switch self {
        case .duplicateSection(let index): "section \(index) has the id of an earlier one"
        case .duplicateTask(let index): "task \(index) has the id of an earlier one"
        case .unknownSection(let index): "the section of task \(index) does not exist"
        case .unknownParent(let index): "the parent of task \(index) does not precede it"
        case .sectionOfParentDiffers(let index): "task \(index) is not in its parent's section"
        case .tooDeep(let index): "task \(index) is nested too deeply"
        }
    }
}
