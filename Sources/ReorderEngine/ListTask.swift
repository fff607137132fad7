/// A task's id, unique in its list. The engine accepts any string.
public typealias TaskID = String

/// A section's id, unique in its list. The engine accepts any string.
public typealias SectionID = String

/// A task's content, without its place in the list.
public struct TaskContent: Sendable, Equatable {
    /// The task's id, unique in its list.
    public var id: TaskID
    /// The displayed title.
    public var title: String
    /// Whether the task's subtasks are hidden.
    public var collapsed: Bool
    /// Whether the task is protected against being moved or deleted.
    public var locked: Bool
    /// Whether the task is done.
    public var done: Bool
    /// The app's free-form data as text (the server stores JSON in it); nil if it has none.
    public var data: String?
    /// When and by whom the task was created, changed and done.
    public var stamps: TaskStamps

    /// Creates the content of a task.
    package init(
        id: TaskID, title: String, collapsed: Bool = false, locked: Bool = false,
        done: Bool = false, data: String? = nil, stamps: TaskStamps = TaskStamps()
    ) {
        self.id = id
        self.title = title
        self.collapsed = collapsed
        self.locked = locked
        self.done = done
        self.data = data
        self.stamps = stamps
    }
}

/// A task's place in its list.
public struct Placement: Sendable, Equatable {
    /// The section; nil for tasks without one. A subtask has the section of its parent.
    public var section: SectionID?
    /// The parent task; nil at the top level of a section.
    public var parent: TaskID?
    /// The index among the siblings (same parent, same section), from 0, without gaps.
    public var position: Int
    /// The index among the list's visible rows, from 0; nil while an ancestor is collapsed.
    public var row: Int?

    /// Creates a placement. A list that receives one ignores `row`.
    package init(section: SectionID?, parent: TaskID?, position: Int, row: Int?) {
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
    /// The number of ancestors: 0 at the top level, at most 15.
    public var depth: Int
    /// The number of direct children.
    public var subtasks: Int
    /// Whether the list's `elementsOffset` locks the task.
    public var isLockedByOffset: Bool

    /// Creates a value from its parts.
    package init(
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
    /// The displayed title.
    public var title: String
    /// The number of tasks at the section's top level.
    public var tasks: Int
    /// The app's free-form data as text (the server stores JSON in it); nil if it has none.
    public var data: String?
    /// The most tasks at the section's top level; nil if `maxTasksPerSection` of the list counts.
    public var maxTasks: Int?

    /// Creates a value from its parts.
    package init(
        id: SectionID, title: String, tasks: Int, data: String? = nil, maxTasks: Int? = nil
    ) {
        self.id = id
        self.title = title
        self.tasks = tasks
        self.data = data
        self.maxTasks = maxTasks
    }
}
