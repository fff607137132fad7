import ReorderEngine

/// A user's operation in the form that is sent to the server. It uses ids and anchors, so it keeps
/// its meaning when the list changes.
package enum Intent: Sendable, Equatable {
    case move(MoveRequest)
    case create(TaskContent, at: Destination)
    case update(TaskID, TaskChanges)
    case collapse(TaskID, Bool)
    case delete(TaskID)
    case settings(SettingsUpdate)
    case createSection(SectionID, title: String, position: Int?, data: String? = nil)
    /// `data` is a merge patch as in `TaskChanges`.
    case updateSection(SectionID, title: String?, data: String? = nil)
    case moveSection(SectionID, position: Int)
    case deleteSection(SectionID, tasks: ReorderableList.SectionTasks)

    /// The tasks that the intent acts on, for a refusal's placements.
    var tasks: [TaskID] {
        switch self {
        case .move(let request):
            switch request.subject {
            case .task(let task): [task]
            case .tasks(let tasks): tasks
            case .row, .rows, .path: []
            }
        case .create(let content, _): [content.id]
        case .update(let task, _), .collapse(let task, _), .delete(let task): [task]
        case .settings, .createSection, .updateSection, .moveSection, .deleteSection: []
        }
    }
}

/// New values for parts of a task; nil keeps the current value.
public struct TaskChanges: Sendable, Equatable {
    /// The displayed title, at most 4 KiB of UTF-8.
    public var title: String?
    /// Whether the task is done.
    public var done: Bool?
    /// Whether the task is protected against being moved or deleted.
    public var locked: Bool?
    /// A merge patch (RFC 7396) for the app's free-form data, as JSON text; `null` removes all
    /// data.
    public var data: String?

    /// Creates changes of the given values.
    public init(
        title: String? = nil, done: Bool? = nil, locked: Bool? = nil, data: String? = nil
    ) {
        self.title = title
        self.done = done
        self.locked = locked
        self.data = data
    }
}

/// An intent with the id that makes the server apply it once, even if it is sent repeatedly.
package struct PendingOperation: Sendable, Equatable {
    package let id: String
    package let intent: Intent
}
