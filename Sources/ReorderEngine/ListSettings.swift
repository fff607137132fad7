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

    /// The most levels of tasks, from 1 (no subtasks) to 16; nil means 16.
    public var maxDepth: Int?

    /// The most top-level tasks of a section, at least 1; nil means no limit. The tasks without a
    /// section are not limited.
    public var maxTasksPerSection: Int?

    /// The most direct subtasks of a task, at least 1; nil means no limit.
    public var tasksPerParent: Int?

    /// The app's free-form data, as JSON text; nil if there is none.
    public var data: String?

    /// Creates settings. The default values restrict nothing.
    package init(
        title: String, elementsOffset: Int = 0, collapseSubElements: Bool = false,
        moves: MovePolicy = .anywhere, maxDepth: Int? = nil, maxTasksPerSection: Int? = nil,
        tasksPerParent: Int? = nil, data: String? = nil
    ) {
        self.title = title
        self.elementsOffset = elementsOffset
        self.collapseSubElements = collapseSubElements
        self.moves = moves
        self.maxDepth = maxDepth
        self.maxTasksPerSection = maxTasksPerSection
        self.tasksPerParent = tasksPerParent
        self.data = data
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
    /// The most levels of tasks.
    package var maxDepth: LimitUpdate?
    /// The most top-level tasks of a section.
    package var maxTasksPerSection: LimitUpdate?
    /// The most direct subtasks of a task.
    package var tasksPerParent: LimitUpdate?
    /// The app's free-form data.
    package var data: DataUpdate?

    /// Creates an update without values. The other initializers copy all members.
    package init() {}

    /// Creates an update of the given values.
    public init(
        title: String? = nil, elementsOffset: Int? = nil, collapseSubElements: Bool? = nil,
        moves: MovePolicy? = nil, maxDepth: LimitUpdate? = nil,
        maxTasksPerSection: LimitUpdate? = nil, tasksPerParent: LimitUpdate? = nil
    ) {
        self.title = title
        self.elementsOffset = elementsOffset
        self.collapseSubElements = collapseSubElements
        self.moves = moves
        self.maxDepth = maxDepth
        self.maxTasksPerSection = maxTasksPerSection
        self.tasksPerParent = tasksPerParent
    }

    /// Creates an update of the given values, also of the data.
    package init(
        title: String? = nil, elementsOffset: Int? = nil, collapseSubElements: Bool? = nil,
        moves: MovePolicy? = nil, maxDepth: LimitUpdate? = nil,
        maxTasksPerSection: LimitUpdate? = nil, tasksPerParent: LimitUpdate? = nil,
        data: DataUpdate?
    ) {
        self.init(
            title: title, elementsOffset: elementsOffset, collapseSubElements: collapseSubElements,
            moves: moves, maxDepth: maxDepth, maxTasksPerSection: maxTasksPerSection,
            tasksPerParent: tasksPerParent)
        self.data = data
    }

    /// Whether nothing changes.
    package var isEmpty: Bool { self == SettingsUpdate() }

    /// Whether all limits are at least 1, and `maxDepth` is at most 16.
    package var hasValidLimits: Bool {
        let levels = maxDepth?.limit ?? 1
        return 1...ReorderableList.maximumLevels ~= levels
            && maxTasksPerSection?.limit ?? 1 >= 1 && tasksPerParent?.limit ?? 1 >= 1
    }
}

/// The change of a limit of a list.
public enum LimitUpdate: Sendable, Equatable {
    case set(Int)
    case remove

    /// The change that leads to this limit; nil means no limit.
    public init(_ limit: Int?) { self = limit.map { .set($0) } ?? .remove }

    /// The limit after the change; nil means no limit.
    public var limit: Int? { if case .set(let limit) = self { limit } else { nil } }
}

extension ListSettings {
    /// The values that `update` replaces.
    func former(of update: SettingsUpdate) -> SettingsUpdate {
        SettingsUpdate(
            title: update.title.map { _ in title },
            elementsOffset: update.elementsOffset.map { _ in elementsOffset },
            collapseSubElements: update.collapseSubElements.map { _ in collapseSubElements },
            moves: update.moves.map { _ in moves },
            maxDepth: update.maxDepth.map { _ in LimitUpdate(maxDepth) },
            maxTasksPerSection: update.maxTasksPerSection.map { _ in
                LimitUpdate(maxTasksPerSection)
            },
            tasksPerParent: update.tasksPerParent.map { _ in LimitUpdate(tasksPerParent) },
            data: update.data.map { _ in DataUpdate(data) })
    }

    /// The values of `update` that differ from the current ones. Texts are compared by bytes.
    func changes(in update: SettingsUpdate) -> SettingsUpdate {
        var changes = update
        if let title = changes.title, title.isWritten(like: self.title) { changes.title = nil }
        if changes.elementsOffset == elementsOffset { changes.elementsOffset = nil }
        if changes.collapseSubElements == collapseSubElements { changes.collapseSubElements = nil }
        if changes.moves == moves { changes.moves = nil }
        if changes.maxDepth == LimitUpdate(maxDepth) { changes.maxDepth = nil }
        if changes.maxTasksPerSection == LimitUpdate(maxTasksPerSection) {
            changes.maxTasksPerSection = nil
        }
        if changes.tasksPerParent == LimitUpdate(tasksPerParent) { changes.tasksPerParent = nil }
        if let data = changes.data, data.matches(self.data) { changes.data = nil }
        return changes
    }

    /// Gives the settings the values of an update.
    package mutating func set(_ update: SettingsUpdate) {
        if let title = update.title { self.title = title }
        if let offset = update.elementsOffset { elementsOffset = offset }
        if let collapse = update.collapseSubElements { collapseSubElements = collapse }
        if let moves = update.moves { self.moves = moves }
        if let update = update.maxDepth { maxDepth = update.limit }
        if let update = update.maxTasksPerSection { maxTasksPerSection = update.limit }
        if let update = update.tasksPerParent { tasksPerParent = update.limit }
        if let update = update.data { data = update.data }
    }
}
