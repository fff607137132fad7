/// The settings of a list.
public struct ListSettings: Sendable, Equatable {
    /// The displayed title.
    public var title: String

    /// The number of locked top-level tasks at the start of the list, counted across all sections.
    public var elementsOffset: Int

    /// Whether moving a task with visible subtasks collapses it.
    public var collapseSubElements: Bool

    /// The moves that are allowed.
    public var moves: MovePolicy

    /// Creates settings. The default values restrict nothing.
    package init(
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
    /// All moves.
    case anywhere
    /// Only among tasks with the same parent and section (`areBrothersElements`).
    case siblings
}

/// New values for some of a list's settings; nil keeps the old value.
public struct SettingsUpdate: Sendable, Equatable {
    /// The displayed title.
    package var title: String?
    /// The number of locked top-level tasks at the start of the list.
    package var elementsOffset: Int?
    /// Whether moving a task collapses it.
    package var collapseSubElements: Bool?
    /// The moves that are allowed.
    package var moves: MovePolicy?

    /// Creates an update of the given values.
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

/// New values for some of a task's content; nil keeps the old value.
package struct TaskUpdate: Sendable, Equatable {
    /// The displayed title.
    package var title: String?
    /// Whether the task is done.
    package var done: Bool?
    /// Whether the task is protected against being moved or deleted.
    package var locked: Bool?
    /// The app's free-form data.
    package var data: DataUpdate?
    /// With `done: true`, when and by whom the task was done; nil means the stamp of the change. An
    /// undo restores an earlier one.
    package var completed: ChangeStamp?

    /// The change of a task's data.
    package typealias DataUpdate = ReorderEngine.DataUpdate

    /// Creates an update of the given values.
    package init(
        title: String? = nil, done: Bool? = nil, locked: Bool? = nil, data: DataUpdate? = nil,
        completed: ChangeStamp? = nil
    ) {
        self.title = title
        self.done = done
        self.locked = locked
        self.data = data
        self.completed = completed
    }

    var isEmpty: Bool { self == TaskUpdate() }
}

/// The change of the data of a task or section.
package enum DataUpdate: Sendable, Equatable {
    case set(String)
    case remove

    /// The change that leads to this data.
    init(_ data: String?) { self = data.map { .set($0) } ?? .remove }

    /// The data after the change.
    var data: String? { if case .set(let data) = self { data } else { nil } }

    /// Whether the data is as after the change. Texts are compared by bytes.
    func matches(_ current: String?) -> Bool {
        switch (self, current) {
        case (.set(let data), let current?): data.isWritten(like: current)
        case (.remove, nil): true
        default: false
        }
    }
}
