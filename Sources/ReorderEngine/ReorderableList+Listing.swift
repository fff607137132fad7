extension ReorderableList {
    /// All tasks in order, including hidden ones: each parent before its children.
    ///
    /// One pass that counts sections, positions and rows: O(1) for each task.
    public var tasks: some Sequence<ListTask> {
        Listing(Walk(list: self), of: self)
    }

    /// The ids of all tasks, in the order of `tasks`. O(tasks)
    package var taskIDs: [TaskID] {
        var ids: [TaskID] = []
        ids.reserveCapacity(count)
        for node in forest.preorder(of: Forest.root).dropFirst()
        where forest.parent(of: node) != Forest.root {
            ids.append(table.id(of: node))
        }
        return ids
    }

    /// The visible tasks from a row on, at most `limit`. O(log n), and O(1) for each task.
    public func tasks(fromRow row: Int, limit: Int) -> [ListTask] {
        let count = max(0, min(limit, rowCount - max(0, row)))
        var found: [ListTask] = []
        found.reserveCapacity(count)
        var listing = Listing(RowWalk(list: self, from: row), of: self)
        while found.count < count, let task = listing.next() { found.append(task) }
        return found
    }

    /// Passes the tasks from an index on, at most `limit`, without creating strings.
    ///
    /// O(1) for each task, and the cost of finding the first one: O(log n) if only visible tasks count,
    /// otherwise O(`offset`).
    ///
    /// - Parameter offset: the number of tasks before the first one, at least 0. If only visible tasks
    ///   count, it is a row.
    package func listTasks(
        from offset: Int, limit: Int, isVisibleOnly: Bool, _ body: (ListedTask) -> Void
    ) {
        if isVisibleOnly { return list(RowWalk(list: self, from: offset), limit: limit, body) }
        var walk = Walk(list: self)
        var passed = 0
        while passed < offset, walk.next() != nil { passed += 1 }
        list(walk, limit: limit, body)
    }

    private func list(
        _ steps: some IteratorProtocol<ListStep>, limit: Int, _ body: (ListedTask) -> Void
    ) {
        var (steps, left) = (steps, limit)
        var section: (node: NodeID, id: FixedText?) = (Forest.root, nil)
        while left > 0, let step = steps.next() {
            left -= 1
            if step.section != section.node {
                section = (step.section, sectionTable.text(of: step.section))
            }
            body(listed(step, section: section.id?.bytes))
        }
    }

    private func listed(_ step: ListStep, section: ListedTask.Text?) -> ListedTask {
        let block = table.block(at: step.text)
        let (texts, flags, stamps) = (block.parts, block.flags, block.stamps)
        return ListedTask(
            id: texts.id, title: texts.title, data: texts.data, section: section,
            parent: step.parent.map { table.block(at: $0).id }, position: step.position,
            row: step.row, depth: step.depth, collapsed: forest.isCollapsed(step.node),
            locked: flags & TextBlock.lockedBit != 0, done: flags & TextBlock.doneBit != 0,
            subtasks: forest.childCount(of: step.node), isLockedByOffset: step.isLockedByOffset,
            createdAt: stamps.createdAt, updatedAt: stamps.updatedAt,
            completedAt: stamps.completedAt, createdBy: table.authorBytes(stamps.createdBy),
            updatedBy: table.authorBytes(stamps.updatedBy),
            completedBy: table.authorBytes(stamps.completedBy))
    }
}

/// Makes tasks of the steps of a walk.
private struct Listing<Steps: IteratorProtocol<ListStep>>: Sequence, IteratorProtocol {
    private let list: ReorderableList
    private var steps: Steps
    /// The section and the parent of the last task. Siblings share these strings.
    private var section: (node: NodeID, id: SectionID?) = (Forest.root, nil)
    private var parent: (text: UInt32, id: TaskID)?

    init(_ steps: Steps, of list: ReorderableList) {
        self.list = list
        self.steps = steps
    }

    mutating func next() -> ListTask? {
        guard let step = steps.next() else { return nil }
        if step.section != section.node {
            section = (step.section, list.sectionTable.id(of: step.section))
        }
        if let text = step.parent, text != parent?.text {
            parent = (text, String(decoding: list.table.block(at: text).id, as: UTF8.self))
        }
        return ListTask(
            content: list.content(at: step.node),
            placement: Placement(
                section: section.id, parent: step.parent == nil ? nil : parent?.id,
                position: step.position, row: step.row),
            depth: step.depth, subtasks: list.forest.childCount(of: step.node),
            isLockedByOffset: step.isLockedByOffset)
    }
}

/// A task in the course of a walk through a list. The walk counts what costs O(log n) to look up.
private struct ListStep: BitwiseCopyable {
    var node: NodeID
    /// The handle of the task's text.
    var text: UInt32
    /// The node of the section.
    var section: NodeID
    /// The handle of the parent's text; nil at the top level of the section.
    var parent: UInt32?
    var position: Int
    var row: Int?
    var depth: Int
    var isLockedByOffset: Bool
}

/// All tasks in order.
private struct Walk: IteratorProtocol {
    private struct Level {
        let node: NodeID
        /// Nil for a section's node.
        let text: UInt32?
        let hidden: Bool
        var children = 0
    }

    private let list: ReorderableList
    private var nodes: Forest.Preorder
    private var row = 0
    /// The number of further top-level tasks that `elementsOffset` locks.
    private var lockedLeft: Int
    /// The ancestors of the next task, the section's node first.
    private var levels: [Level] = []
    /// The node of the section of the last task.
    private var section: NodeID

    init(list: ReorderableList) {
        self.list = list
        lockedLeft = list.settings.elementsOffset
        section = list.sectionTable.unsectioned
        nodes = list.forest.preorder(of: Forest.root)
        _ = nodes.next()
    }

    mutating func next() -> ListStep? {
        while let node = nodes.next() {
            let parent = list.forest.parent(of: node)
            if parent == Forest.root {
                section = node
                levels = [Level(node: node, text: nil, hidden: false)]
                continue
            }
            while let last = levels.last, last.node != parent { levels.removeLast() }
            guard let level = levels.last else { return nil }
            levels[levels.count - 1].children += 1
            let isLocked = levels.count == 1 && lockedLeft > 0
            if isLocked { lockedLeft -= 1 }
            let step = ListStep(
                node: node, text: list.table.text(of: node), section: section,
                parent: level.text, position: level.children, row: level.hidden ? nil : row,
                depth: levels.count - 1, isLockedByOffset: isLocked)
            if !level.hidden { row += 1 }
            // Only a node with children can be an ancestor.
            if list.forest.childCount(of: node) > 0 {
                levels.append(
                    Level(
                        node: node, text: step.text,
                        hidden: level.hidden || list.forest.isCollapsed(node)))
            }
            return step
        }
        return nil
    }
}

/// The visible tasks from a row on.
private struct RowWalk: IteratorProtocol {
    private let list: ReorderableList
    private var rows: Forest.Rows
    private var row: Int
    /// The tasks that `elementsOffset` locks come first: no task after an unlocked one is locked by it.
    private var mayBeLocked: Bool

    init(list: ReorderableList, from row: Int) {
        self.list = list
        self.row = max(0, row)
        rows = list.forest.rows(from: self.row)
        mayBeLocked = list.settings.elementsOffset > 0
    }

    mutating func next() -> ListStep? {
        guard let location = rows.next() else { return nil }
        let top = rows.path[0].node
        // The section's node is not a task.
        let depth = rows.path.count - 2
        if depth == 0, mayBeLocked {
            mayBeLocked = list.displacesLocked(in: top, at: location.position)
        }
        defer { row += 1 }
        return ListStep(
            node: location.node, text: list.table.text(of: location.node), section: top,
            parent: depth == 0 ? nil : list.table.text(of: location.parent),
            position: location.position, row: row, depth: depth,
            isLockedByOffset: depth == 0 && mayBeLocked)
    }
}

extension ReorderableList: Equatable {
    /// Whether both lists have the same settings, times, sections and tasks in the same order. Texts
    /// are compared by bytes. O(tasks).
    public static func == (left: ReorderableList, right: ReorderableList) -> Bool {
        left.isEqual(to: right, comparing: ==)
    }
}
