/// What holds for a list as a whole.
public struct ListSettings: Sendable, Equatable {
    /// The name that people see.
    public var title: String

    /// How many of the first top-level tasks, counted through the sections, are locked in place.
    public var elementsOffset: Int

    /// Whether moving a task collapses it, where its subtasks are visible.
    public var collapseSubElements: Bool

    /// Where tasks may be moved.
    public var moves: MovePolicy

    /// Settings; an omitted one has the value without restrictions.
    public init(
        title: String, elementsOffset: Int = 0, collapseSubElements: Bool = false,
        moves: MovePolicy = .anywhere
    ) {
        self.title = title
        self.elementsOffset = elementsOffset
        self.collapseSubElements = collapseSubElements
        self.moves = moves
    }
}

/// The moves that a list allows.
public enum MovePolicy: String, Sendable, CaseIterable {
    case anywhere
    /// Only among the tasks that share parent and section (`areBrothersElements`).
    case siblings
}

/// New values for some of a list's settings; `nil` keeps the old value.
public struct SettingsUpdate: Sendable, Equatable {
    /// The name that people see.
    public var title: String?
    /// How many of the first top-level tasks are locked in place.
    public var elementsOffset: Int?
    /// Whether moving a task collapses it.
    public var collapseSubElements: Bool?
    /// Where tasks may be moved.
    public var moves: MovePolicy?

    /// An update of what is given.
    public init(
        title: String? = nil, elementsOffset: Int? = nil, collapseSubElements: Bool? = nil,
        moves: MovePolicy? = nil
    ) {
        self.title = title
        self.elementsOffset = elementsOffset
        self.collapseSubElements = collapseSubElements
        self.moves = moves
    }

    var isEmpty: Bool { self == SettingsUpdate() }
}

/// New values for some of a task's content; `nil` keeps the old value.
public struct TaskUpdate: Sendable, Equatable {
    /// The name that people see.
    public var title: String?
    /// Whether it is ticked off.
    public var done: Bool?
    /// Whether it refuses to be moved or deleted by itself.
    public var locked: Bool?
    /// The app's free-form data.
    public var data: DataUpdate?

    /// What becomes of a task's data.
    public enum DataUpdate: Sendable, Equatable {
        case set(String)
        case remove
    }

    /// An update of what is given.
    public init(
        title: String? = nil, done: Bool? = nil, locked: Bool? = nil, data: DataUpdate? = nil
    ) {
        self.title = title
        self.done = done
        self.locked = locked
        self.data = data
    }

    var isEmpty: Bool { self == TaskUpdate() }
}
