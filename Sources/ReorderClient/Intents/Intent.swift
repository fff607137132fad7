import ReorderEngine

/// A user's operation in the form that is sent to the server. It uses ids and anchors, so it keeps
/// its meaning when the list changes.
package enum Intent: Sendable, Equatable {
    case move(MoveRequest)
    case create(TaskContent, at: Destination)
    case update(TaskID, TaskChanges)
    case collapse(TaskID, Bool)
    case delete(TaskID)
    /// `data`: a merge patch of the list's data as JSON text; `null` removes the data.
    case settings(SettingsUpdate, data: String? = nil)
    case createSection(
        SectionID, title: String, position: Int?, data: String? = nil, maxTasks: Int? = nil)
    /// `data` is a merge patch as in `TaskChanges`.
    case updateSection(
        SectionID, title: String?, data: String? = nil, maxTasks: LimitUpdate? = nil)
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

extension Intent {
    /// The same intent for a list in which tasks have other ids.
    func renamingTasks(_ ids: [TaskID: TaskID]) -> Intent {
        func named(_ task: TaskID) -> TaskID { ids[task] ?? task }
        switch self {
        case .move(var request):
            switch request.subject {
            case .task(let task): request.subject = .task(named(task))
            case .tasks(let tasks): request.subject = .tasks(tasks.map(named))
            case .row, .rows, .path: break
            }
            request.destination = request.destination.renamingTasks(named)
            return .move(request)
        case .create(var content, let place):
            content.id = named(content.id)
            return .create(content, at: place.renamingTasks(named))
        case .update(let task, let changes): return .update(named(task), changes)
        case .collapse(let task, let collapsed): return .collapse(named(task), collapsed)
        case .delete(let task): return .delete(named(task))
        case .settings, .createSection, .updateSection, .moveSection, .deleteSection: return self
        }
    }
}

extension Destination {
    fileprivate func renamingTasks(_ named: (TaskID) -> TaskID) -> Destination {
        var destination = self
        destination.after = after.map(named)
        destination.before = before.map(named)
        if case .subtasks(let task)? = place?.siblings {
            destination.place?.siblings = .subtasks(of: named(task))
        }
        return destination
    }
}

/// New values for parts of a task; nil keeps the current value.
public struct TaskChanges: Sendable, Equatable {
    /// The displayed title, at most 4 KiB of UTF-8.
    package var title: String?
    /// Whether the task is done.
    package var done: Bool?
    /// Whether the task is protected against being moved or deleted.
    package var locked: Bool?
    /// A merge patch (RFC 7396) for the app's free-form data, as JSON text; `null` removes all
    /// data.
    package var data: String?

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
    /// The version in the server's answer: the list has the operation from then on. nil: there is no answer yet.
    package var answeredAt: Int?

    package init(id: String, intent: Intent) {
        self.id = id
        self.intent = intent
    }
}

/// The operations of one step of the user have ids that say so: the step's id, a dot and the index. The server makes them one change,
/// or refuses all of them.
extension PendingOperation {
    /// The maximum number of operations in a batch. A longer step is sent in parts, as steps.
    static let maximumStepLength = 1_000

    static func id(ofStep step: String, _ index: Int) -> String { "\(step).\(index)" }

    /// The id of the step; nil for an operation that is a step of its own.
    var step: Substring? {
        id.utf8.lastIndex(of: UInt8(ascii: ".")).map { id[..<$0] }
    }

    /// The number of operations at the start of a queue that make one step, or a part of it. 0 if it is empty.
    static func stepLength(in queue: ArraySlice<PendingOperation>) -> Int {
        guard let first = queue.first, let step = first.step else { return min(1, queue.count) }
        return queue.prefix(maximumStepLength).prefix {
            $0.answeredAt == first.answeredAt && $0.step == step
        }.count
    }
}
