import ReorderEngine

/// What a person asked of a list, in the form in which the server is asked: by ids and anchors, so
/// that it still says what was meant once the list is another.
enum Intent: Sendable, Equatable {
    case move(MoveRequest)
    case create(TaskContent, at: Destination)
    case update(TaskID, TaskChanges)
    case collapse(TaskID, Bool)
    case delete(TaskID)
    case settings(SettingsUpdate)
    case createSection(SectionID, title: String, position: Int?)
    case renameSection(SectionID, title: String)
    case moveSection(SectionID, position: Int)
    case deleteSection(SectionID, tasks: ReorderableList.SectionTasks)

    /// The tasks that it names as its subject, for a refusal to tell where they are.
    var tasks: [TaskID] {
        switch self {
        case .move(let request):
            switch request.subject {
            case .task(let task): [task]
            case .tasks(let tasks): tasks
            case .row: []
            }
        case .create(let content, _): [content.id]
        case .update(let task, _), .collapse(let task, _), .delete(let task): [task]
        case .settings, .createSection, .renameSection, .moveSection, .deleteSection: []
        }
    }
}

/// New values for some of a task's content; `nil` leaves one as it is.
public struct TaskChanges: Sendable, Equatable {
    /// The name that people see: at most 4 KiB of UTF-8.
    public var title: String?
    /// Whether it is ticked off.
    public var done: Bool?
    /// Whether it refuses to be moved or deleted by itself.
    public var locked: Bool?
    /// A merge patch (RFC 7396) of the app's free-form data, as JSON text; `null` removes them all.
    public var data: String?

    /// Changes of what is given.
    public init(
        title: String? = nil, done: Bool? = nil, locked: Bool? = nil, data: String? = nil
    ) {
        self.title = title
        self.done = done
        self.locked = locked
        self.data = data
    }
}

/// An intent with the id under which it is applied once, however often it is sent.
struct PendingOperation: Sendable, Equatable {
    let id: String
    let intent: Intent
}
