/// The part of a list whose tasks a reader examines.
package struct TaskScope: Sendable, Equatable {
    package enum Root: Sendable, Equatable {
        case list
        /// A section with its tasks; nil: the tasks without a section.
        case section(SectionID?)
        /// The subtree of a task, without the task itself.
        case subtasks(of: TaskID)
    }

    package var root: Root
    /// Whether only the tasks at the top of the part are examined, without their subtasks.
    package var isTopOnly: Bool
    /// Whether hidden tasks are left out.
    package var isVisibleOnly: Bool

    package init(_ root: Root = .list, isTopOnly: Bool = false, isVisibleOnly: Bool = false) {
        self.root = root
        self.isTopOnly = isTopOnly
        self.isVisibleOnly = isVisibleOnly
    }
}

/// Examines tasks in the order of the list, one after another. It has a copy of the list.
///
/// A step costs O(log n), and creates no strings.
package struct TaskScan: Sendable {
    private let list: ReorderableList
    private let scope: TaskScope
    /// The node above all tasks of the scope.
    private let top: NodeID
    /// The current task's node; `top` before the first task.
    private var node: NodeID

    /// - Returns: nil if the list does not contain the place.
    package init?(_ list: ReorderableList, _ scope: TaskScope = TaskScope()) {
        let top: NodeID? =
            switch scope.root {
            case .list: Forest.root
            case .section(let section): list.sectionTable.node(for: section)
            case .subtasks(let task): list.table.node(for: task)
            }
        guard let top else { return nil }
        self.list = list
        self.scope = scope
        self.top = top
        node = top
    }

    /// Goes to a task of the scope, so that the next step leads to the task after it. A hidden task
    /// is allowed.
    ///
    /// - Returns: false if the task is not in the scope. Then nothing has changed. O(1).
    package mutating func skip(to task: TaskID) -> Bool {
        guard let node = list.table.node(for: task), node != top,
            list.forest.isInside(node, subtreeOf: top)
        else { return false }
        if scope.isTopOnly, let parent = list.forest.parent(of: node), parent != top,
            !list.isSection(parent)
        {
            return false
        }
        self.node = node
        return true
    }

    /// Goes to the next task; returns false at the end.
    package mutating func advance() -> Bool {
        while let next = list.forest.node(after: node, beneath: top, entering: entersChildren) {
            node = next
            if !list.isSection(node) { return true }
        }
        return false
    }

    private var entersChildren: Bool {
        if node == top || list.isSection(node) { return true }
        return !scope.isTopOnly && !(scope.isVisibleOnly && list.forest.isCollapsed(node))
    }

    // MARK: The current task

    package var id: TaskID { list.table.id(of: node) }
    package var isDone: Bool { list.table.isDone(node) }
    package var updatedAt: Int64? { list.table.updatedAt(of: node) }

    /// Passes the UTF-8 bytes of the title, which are valid only in `body`.
    package func withTitle<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        list.table.withTitleBytes(of: node, body)
    }

    /// Passes the UTF-8 bytes of the data, which are valid only in `body`; nil if the task has none.
    package func withData<Result>(_ body: (UnsafeBufferPointer<UInt8>?) -> Result) -> Result {
        list.table.withDataBytes(of: node, body)
    }

    /// The task; nil if the scope leaves it out because it is hidden. O(log n).
    package var task: ListTask? {
        let task = list.task(at: node)
        return scope.isVisibleOnly && task.placement.row == nil ? nil : task
    }
}

extension ReorderableList {
    /// The tasks above a task, beginning with its parent, and its section; nil if the list does not
    /// contain the task. O(levels).
    package func ancestors(of task: TaskID) -> (tasks: [TaskID], section: SectionID?)? {
        guard var node = table.node(for: task) else { return nil }
        var tasks: [TaskID] = []
        while let parent = forest.parent(of: node) {
            node = parent
            if isSection(node) { break }
            tasks.append(table.id(of: node))
        }
        return (tasks, sectionTable.id(of: node))
    }
}
