extension ReorderableList {
    /// All tasks in order, including hidden ones: each parent before its children.
    ///
    /// One pass that counts sections, positions and rows: O(1) for each task.
    public var tasks: some Sequence<ListTask> {
        Listing(list: self)
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
        let first = max(0, row)
        let count = max(0, min(limit, rowCount - first))
        var found: [ListTask] = []
        found.reserveCapacity(count)
        var walk = forest.rows(from: first)
        var section: (node: NodeID, id: SectionID?)?
        var ancestors: [TaskID] = []
        // The tasks that `elementsOffset` locks come first: no task after an unlocked one is locked
        // by it.
        var mayBeLocked = settings.elementsOffset > 0
        while found.count < count, let location = walk.next() {
            let top = walk.path[0].node
            if section?.node != top { section = (top, sectionTable.id(of: top)) }
            // The section's node is not a task.
            let depth = walk.path.count - 2
            if ancestors.count > depth { ancestors.removeLast(ancestors.count - depth) }
            while ancestors.count < depth {
                ancestors.append(table.id(of: walk.path[ancestors.count + 1].node))
            }
            let placement = Placement(
                section: section?.id, parent: ancestors.last, position: location.position,
                row: first + found.count)
            if depth == 0, mayBeLocked {
                mayBeLocked = displacesLocked(in: top, at: location.position)
            }
            found.append(
                ListTask(
                    content: content(at: location.node), placement: placement, depth: depth,
                    subtasks: forest.childCount(of: location.node),
                    isLockedByOffset: depth == 0 && mayBeLocked))
        }
        return found
    }
}

private struct Listing: Sequence, IteratorProtocol {
    private let list: ReorderableList
    private var walk: Walk
    /// The parent of the last task. Siblings share this string.
    private var parent: (text: UInt32, id: TaskID)?

    init(list: ReorderableList) {
        self.list = list
        walk = Walk(list: list)
    }

    mutating func next() -> ListTask? {
        guard let step = walk.next() else { return nil }
        if let text = step.parent, text != parent?.text {
            parent = (text, String(decoding: list.table.block(at: text).id, as: UTF8.self))
        }
        return ListTask(
            content: list.content(at: step.node),
            placement: Placement(
                section: walk.section, parent: step.parent == nil ? nil : parent?.id,
                position: step.position, row: step.row),
            depth: step.depth, subtasks: list.forest.childCount(of: step.node),
            isLockedByOffset: step.isLockedByOffset)
    }
}

/// A task with references to the list's texts instead of copies, valid only during the call that
/// receives it.
package struct ListedTask {
    package typealias Text = UnsafeBufferPointer<UInt8>

    package var id: Text
    package var title: Text
    package var data: Text?
    package var section: SectionID?
    package var parent: Text?
    package var position: Int
    package var row: Int?
    package var depth: Int
    package var collapsed: Bool
    package var locked: Bool
    package var done: Bool
    package var subtasks: Int
    /// As in `ListTask`.
    package var isLockedByOffset: Bool
    package var stamps: TaskStamps

    package init(
        id: Text, title: Text, data: Text?, section: SectionID?, parent: Text?, position: Int,
        row: Int?, depth: Int, collapsed: Bool, locked: Bool, done: Bool, subtasks: Int,
        isLockedByOffset: Bool, stamps: TaskStamps
    ) {
        self.id = id
        self.title = title
        self.data = data
        self.section = section
        self.parent = parent
        self.position = position
        self.row = row
        self.depth = depth
        self.collapsed = collapsed
        self.locked = locked
        self.done = done
        self.subtasks = subtasks
        self.isLockedByOffset = isLockedByOffset
        self.stamps = stamps
    }
}

extension ReorderableList {
    /// Passes the tasks from an index on, at most `limit`, without creating strings. O(`offset` +
    /// number of tasks).
    package func listTasks(
        from offset: Int, limit: Int, _ body: (borrowing ListedTask) -> Void
    ) {
        var walk = Walk(list: self)
        var passed = 0
        while passed < offset, walk.next() != nil { passed += 1 }
        var left = limit
        while left > 0, let step = walk.next() {
            left -= 1
            let block = table.block(at: step.text)
            let texts = block.parts
            body(
                ListedTask(
                    id: texts.id, title: texts.title, data: texts.data, section: walk.section,
                    parent: step.parent.map { table.block(at: $0).id }, position: step.position,
                    row: step.row, depth: step.depth, collapsed: forest.isCollapsed(step.node),
                    locked: block.flags & TextBlock.lockedBit != 0,
                    done: block.flags & TextBlock.doneBit != 0,
                    subtasks: forest.childCount(of: step.node),
                    isLockedByOffset: step.isLockedByOffset, stamps: table.stamps(of: block)))
        }
    }
}

/// All tasks in order, each with its place. The walk counts positions and rows instead of looking
/// them up.
private struct Walk {
    struct Step {
        var node: NodeID
        /// The handle of the task's text.
        var text: UInt32
        /// The handle of the parent's text; nil at the top level of the section.
        var parent: UInt32?
        var position: Int
        var row: Int?
        var depth: Int
        var isLockedByOffset: Bool
    }

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
    /// The section of the last task.
    private(set) var section: SectionID?

    init(list: ReorderableList) {
        self.list = list
        lockedLeft = list.settings.elementsOffset
        nodes = list.forest.preorder(of: Forest.root)
        _ = nodes.next()
    }

    mutating func next() -> Step? {
        while let node = nodes.next() {
            let parent = list.forest.parent(of: node)
            if parent == Forest.root {
                section = list.sectionTable.id(of: node)
                levels = [Level(node: node, text: nil, hidden: false)]
                continue
            }
            while let last = levels.last, last.node != parent { levels.removeLast() }
            guard let level = levels.last else { return nil }
            levels[levels.count - 1].children += 1
            let isLocked = levels.count == 1 && lockedLeft > 0
            if isLocked { lockedLeft -= 1 }
            let step = Step(
                node: node, text: list.table.text(of: node), parent: level.text,
                position: level.children, row: level.hidden ? nil : row, depth: levels.count - 1,
                isLockedByOffset: isLocked)
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

extension ReorderableList: Equatable {
    /// Whether both lists have the same settings, times, sections and tasks in the same order. Texts
    /// are compared by bytes. O(tasks).
    public static func == (left: ReorderableList, right: ReorderableList) -> Bool {
        left.isEqual(to: right, comparing: ==)
    }
}
