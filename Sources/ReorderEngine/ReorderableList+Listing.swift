extension ReorderableList {
    /// Every task in order, the hidden ones too: each parent before its children.
    ///
    /// One pass that keeps count of sections, positions and rows: O(1) a task.
    public var tasks: some Sequence<ListTask> {
        Listing(list: self)
    }

    /// The visible tasks from a row on, at most `limit`. O(log n), and O(1) a task.
    public func tasks(fromRow row: Int, limit: Int) -> [ListTask] {
        let first = max(0, row)
        let count = max(0, min(limit, rowCount - first))
        var found: [ListTask] = []
        found.reserveCapacity(count)
        var walk = forest.rows(from: first)
        var section: (node: NodeID, id: SectionID?)?
        var ancestors: [TaskID] = []
        while found.count < count, let standing = walk.next() {
            let top = walk.path[0].node
            if section?.node != top { section = (top, sectionTable.id(of: top)) }
            // The section's node is not a task.
            let depth = walk.path.count - 2
            if ancestors.count > depth { ancestors.removeLast(ancestors.count - depth) }
            while ancestors.count < depth {
                ancestors.append(table.id(of: walk.path[ancestors.count + 1].node))
            }
            let placement = Placement(
                section: section?.id, parent: ancestors.last, position: standing.position,
                row: first + found.count)
            found.append(
                task(at: standing.node, text: standing.mark, placement, depth: depth))
        }
        return found
    }
}

private struct Listing: Sequence, IteratorProtocol {
    private struct Level {
        let node: NodeID
        let id: TaskID?
        let hidden: Bool
        var children = 0
    }

    let list: ReorderableList
    private var nodes: Forest.Preorder
    private var row = 0
    private var section: SectionID?
    /// The ancestors of the next task, the section's node first.
    private var levels: [Level] = []

    init(list: ReorderableList) {
        self.list = list
        nodes = list.forest.preorder(of: Forest.root)
        _ = nodes.next()
    }

    mutating func next() -> ListTask? {
        while let node = nodes.next() {
            let parent = list.forest.parent(of: node)
            if parent == Forest.root {
                section = list.sectionTable.id(of: node)
                levels = [Level(node: node, id: nil, hidden: false)]
                continue
            }
            while let last = levels.last, last.node != parent { levels.removeLast() }
            guard let level = levels.last else { return nil }
            levels[levels.count - 1].children += 1
            let task = ListTask(
                content: list.content(at: node),
                placement: Placement(
                    section: section, parent: level.id, position: level.children,
                    row: level.hidden ? nil : row),
                depth: levels.count - 1, subtasks: list.forest.childCount(of: node))
            if !level.hidden { row += 1 }
            levels.append(
                Level(
                    node: node, id: task.id, hidden: level.hidden || task.content.collapsed))
            return task
        }
        return nil
    }
}

extension ReorderableList: Equatable {
    /// Whether both hold the same settings, sections and tasks in the same order. O(tasks).
    ///
    /// Texts are compared as they are written: Swift's `==` takes "é" and "e" with an accent for the
    /// same, but replacing one by the other is a change.
    public static func == (left: ReorderableList, right: ReorderableList) -> Bool {
        left.settings == right.settings && left.count == right.count
            && left.settings.title.isWritten(like: right.settings.title)
            && left.sections.elementsEqual(right.sections) {
                $0 == $1 && $0.title.isWritten(like: $1.title)
            }
            && left.tasks.elementsEqual(right.tasks) {
                $0 == $1 && $0.content.title.isWritten(like: $1.content.title)
                    && ($0.content.data ?? "").isWritten(like: $1.content.data ?? "")
            }
    }
}
