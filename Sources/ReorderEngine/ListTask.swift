/// A task's identifier, unique in its list. The engine takes any string.
public typealias TaskID = String

/// A section's identifier, unique in its list. The engine takes any string.
public typealias SectionID = String

/// A task's content, without its place in the list.
public struct TaskContent: Sendable, Equatable {
    /// The task's id, unique in its list.
    public var id: TaskID
    /// The name that people see.
    public var title: String
    /// Whether the task's subtasks are hidden.
    public var collapsed: Bool
    /// Whether the task refuses to be moved or deleted by itself.
    public var locked: Bool
    /// Whether it is ticked off.
    public var done: Bool
    /// Free-form data of the app as text (the server keeps JSON in it); `nil` if it has none.
    public var data: String?

    /// The content of a task.
    public init(
        id: TaskID, title: String, collapsed: Bool = false, locked: Bool = false,
        done: Bool = false, data: String? = nil
    ) {
        self.id = id
        self.title = title
        self.collapsed = collapsed
        self.locked = locked
        self.done = done
        self.data = data
    }
}

/// A task's place in its list.
public struct Placement: Sendable, Equatable {
    /// The section; `nil` for tasks without one. A subtask's is that of its parent.
    public var section: SectionID?
    /// The parent task; `nil` at the top level of a section.
    public var parent: TaskID?
    /// The index among the siblings (same parent, same section), from 0, without gaps.
    public var position: Int
    /// The index among the list's visible rows, from 0; `nil` while an ancestor is collapsed.
    public var row: Int?

    /// Creates a placement. A list that receives one ignores `row`.
    public init(section: SectionID?, parent: TaskID?, position: Int, row: Int?) {
        self.section = section
        self.parent = parent
        self.position = position
        self.row = row
    }
}

/// A task of a list: its content, its place, and the number of its subtasks.
public struct ListTask: Sendable, Equatable {
    /// The task's content.
    public var content: TaskContent
    /// The task's place.
    public var placement: Placement
    /// How many ancestors the task has: 0 at the top level, at most 15.
    public var depth: Int
    /// How many direct children the task has.
    public var subtasks: Int
    /// Whether it is one of the first top-level tasks, which the list's `elementsOffset` locks.
    public var isLockedByOffset: Bool

    /// Creates a value equal to the one that a list returns.
    public init(
        content: TaskContent, placement: Placement, depth: Int, subtasks: Int,
        isLockedByOffset: Bool = false
    ) {
        self.content = content
        self.placement = placement
        self.depth = depth
        self.subtasks = subtasks
        self.isLockedByOffset = isLockedByOffset
    }

    /// The task's id.
    public var id: TaskID { content.id }
}

/// A section of a list.
public struct ListSection: Sendable, Equatable {
    /// The section's id, unique in its list.
    public var id: SectionID
    /// The name that people see.
    public var title: String
    /// How many tasks stand at the section's top level.
    public var tasks: Int

    /// Creates a value equal to the one that a list returns.
    public init(id: SectionID, title: String, tasks: Int) {
        self.id = id
        self.title = title
        self.tasks = tasks
    }
}
