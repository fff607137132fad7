extension ReorderableList {
    // MARK: Tasks

    /// Whether the list contains a task with this id. O(1).
    public func contains(_ task: TaskID) -> Bool { table.node(for: task) != nil }

    /// The task with this id, or nil if the list has none. O(log n).
    public func task(_ id: TaskID) -> ListTask? {
        table.node(for: id).map { task(at: $0) }
    }

    /// The task at a visible row, or nil if there are fewer rows. O(log n).
    public func task(atRow row: Int) -> ListTask? {
        guard row >= 0, row < rowCount else { return nil }
        var ancestors = 0
        let location = forest.location(atRow: row) { _ in ancestors += 1 }
        let placement = placement(
            under: location.parent, position: location.position, row: row)
        // The section's node is not a task.
        return task(
            at: location.node, placement, depth: ancestors - 1)
    }

    /// The visible rows of a section, or nil if the section does not exist. O(log n).
    ///
    /// - Parameter section: nil means the tasks without a section.
    public func rows(in section: SectionID?) -> Range<Int>? {
        sectionTable.node(for: section).map { rows(in: $0) }
    }

    func rows(in section: NodeID) -> Range<Int> {
        let start = forest.rowsBefore(section) ?? 0
        return start..<start + forest.visibleDescendants(of: section)
    }

    /// A task's visible row; nil if the task is hidden or does not exist. O(log n).
    public func row(of task: TaskID) -> Int? {
        table.node(for: task).flatMap { forest.rowsBefore($0) }
    }

    /// A task's place, or nil if the list has no task with this id. O(log n).
    public func placement(of task: TaskID) -> Placement? {
        table.node(for: task).map { placement(at: $0) }
    }

    /// The task at an index among siblings, or nil if there are fewer. The siblings are the
    /// subtasks of `parent`. If `parent` is nil, they are the top-level tasks of `section`; if
    /// `section` is nil too, the top-level tasks without a section. O(log n).
    package func task(section: SectionID?, parent: TaskID?, position: Int) -> ListTask? {
        guard let siblings = parentNode(section: section, parent: parent),
            position >= 0, position < forest.childCount(of: siblings)
        else { return nil }
        return task(at: forest.child(of: siblings, at: position))
    }

    /// The task and its whole subtree, each parent before its children. O(log n) for each task.
    public func subtree(of task: TaskID) -> [ListTask] {
        guard let node = table.node(for: task) else { return [] }
        return forest.preorder(of: node).map { self.task(at: $0) }
    }

    /// The number of tasks in a task's subtree, itself included, counted up to `limit` + 1; 0 if
    /// the list does not contain the task. O(limit).
    package func taskCount(under task: TaskID, upTo limit: Int) -> Int {
        table.node(for: task).map { nodeCount(under: $0, upTo: limit) } ?? 0
    }

    /// The number of tasks in a section, counted up to `limit` + 1; 0 if the section does not exist.
    /// O(limit).
    package func taskCount(in section: SectionID, upTo limit: Int) -> Int {
        // The section is a node, too.
        sectionTable.nodes[section].map { nodeCount(under: $0, upTo: limit + 1) - 1 } ?? 0
    }

    /// The number of nodes in a subtree, counted up to `limit` + 1. O(limit).
    func nodeCount(under node: NodeID, upTo limit: Int) -> Int {
        guard forest.childCount(of: node) > 0 else { return 1 }
        var count = 0
        for _ in forest.preorder(of: node) {
            count += 1
            if count > limit { break }
        }
        return count
    }

    /// The tasks that a move names, without those that do not exist. O(log n) for each task.
    package func tasks(named subject: MoveRequest.Subject) -> [TaskID] {
        switch subject {
        case .task(let task): contains(task) ? [task] : []
        case .tasks(let tasks): tasks.filter { contains($0) }
        case .row(let row): task(atRow: row).map { [$0.id] } ?? []
        case .rows(let rows): rows.sorted().compactMap { task(atRow: $0)?.id }
        case .path(let section, let row):
            rows(in: section).flatMap { rows in
                0..<rows.count ~= row ? task(atRow: rows.lowerBound + row).map { [$0.id] } : nil
            } ?? []
        }
    }

    // MARK: Sections

    /// The number of sections. O(1).
    package var sectionCount: Int { sectionTable.nodes.count }

    /// The sections in order. O(number of sections).
    public var sections: [ListSection] {
        sectionNodes.dropFirst().compactMap { node in
            sectionTable.records[node].map {
                ListSection(
                    id: $0.id, title: $0.title, tasks: forest.childCount(of: node),
                    data: $0.data, maxTasks: $0.maxTasks)
            }
        }
    }

    /// The section with this id, or nil if the list has none. O(1).
    public func section(_ id: SectionID) -> ListSection? {
        sectionTable.nodes[id].map { node in
            ListSection(
                id: id, title: sectionTitle(at: node), tasks: forest.childCount(of: node),
                data: sectionData(at: node), maxTasks: sectionLimit(at: node))
        }
    }

    /// Whether the list contains a section with this id. O(1).
    package func contains(section: SectionID) -> Bool { sectionTable.nodes[section] != nil }

    // MARK: Nodes

    /// The nodes of the sections in order, beginning with the one for tasks without a section.
    var sectionNodes: [NodeID] { Array(forest.children(of: Forest.root)) }

    func isSection(_ node: NodeID) -> Bool { forest.parent(of: node) == Forest.root }

    /// The node of the section that contains a task's node; for a section's node, the node itself.
    func sectionNode(above node: NodeID) -> NodeID {
        var node = node
        while let parent = forest.parent(of: node), parent != Forest.root { node = parent }
        return node
    }

    func content(at node: NodeID) -> TaskContent {
        table.content(of: node, collapsed: forest.isCollapsed(node))
    }

    func placement(at node: NodeID) -> Placement {
        let (position, row, parent) = forest.placeAndRows(of: node)
        return placement(under: parent, position: position, row: row)
    }

    func placement(under parent: NodeID, position: Int, row: Int?) -> Placement {
        Placement(
            section: sectionTable.id(of: sectionNode(above: parent)),
            parent: isSection(parent) ? nil : table.id(of: parent),
            position: position, row: row)
    }

    func task(at node: NodeID) -> ListTask {
        task(at: node, placement(at: node), depth: depth(of: node))
    }

    func task(at node: NodeID, _ placement: consuming Placement, depth: Int) -> ListTask {
        let isLockedByOffset = isLockedByOffset(node, placement)
        return ListTask(
            content: content(at: node), placement: placement, depth: depth,
            subtasks: forest.childCount(of: node), isLockedByOffset: isLockedByOffset)
    }

    /// Whether `elementsOffset` locks a task. O(log n); O(1) without an `elementsOffset`.
    func isLockedByOffset(_ node: NodeID, _ placement: Placement) -> Bool {
        guard settings.elementsOffset > 0, placement.parent == nil,
            let section = forest.parent(of: node)
        else { return false }
        return displacesLocked(in: section, at: placement.position)
    }

    /// The number of ancestor tasks (for a section's node: −1).
    func depth(of node: NodeID) -> Int { forest.depth(of: node) - 1 }

    /// The node whose children are the subtasks of `parent`, or the top level of `section`.
    func parentNode(section: SectionID?, parent: TaskID?) -> NodeID? {
        if let parent { return table.node(for: parent) }
        return sectionTable.node(for: section)
    }
}
