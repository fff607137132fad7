/// New values for parts of a task; nil keeps the current value.
public struct TaskUpdate: Sendable, Equatable {
    /// The displayed title, at most 4 KiB of UTF-8.
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

    /// Creates an update without values. The other initializers copy all members.
    package init() {}

    /// Creates changes of the given values.
    ///
    /// - Parameter data: a merge patch (RFC 7396) for the app's free-form data, as JSON text; `null`
    ///   removes all data.
    public init(
        title: String? = nil, done: Bool? = nil, locked: Bool? = nil, data: String? = nil
    ) {
        self.init(title: title, done: done, locked: locked, data: data.map { DataUpdate(json: $0) })
    }

    /// Creates an update of the given values.
    package init(
        title: String? = nil, done: Bool? = nil, locked: Bool? = nil, data: DataUpdate?,
        completed: ChangeStamp? = nil
    ) {
        self.title = title
        self.done = done
        self.locked = locked
        self.data = data
        self.completed = completed
    }

    /// Whether nothing changes.
    package var isEmpty: Bool { self == TaskUpdate() }
}

/// The change of the data of a task, a section or the list. In a command, the text is a merge patch.
package enum DataUpdate: Sendable, Equatable {
    case set(String)
    case remove

    /// The change that leads to this data.
    package init(_ data: String?) { self = data.map { .set($0) } ?? .remove }

    /// - Parameter json: `null` removes the data.
    package init(json: String) { self = json == "null" ? .remove : .set(json) }

    /// The data after the change.
    package var data: String? { if case .set(let data) = self { data } else { nil } }

    /// Whether the data is as after the change. Texts are compared by bytes.
    func matches(_ current: String?) -> Bool {
        switch (self, current) {
        case (.set(let data), let current?): data.isWritten(like: current)
        case (.remove, nil): true
        default: false
        }
    }
}

extension TaskContent {
    /// The values that `update` replaces.
    func former(of update: TaskUpdate) -> TaskUpdate {
        TaskUpdate(
            title: update.title.map { _ in title }, done: update.done.map { _ in done },
            locked: update.locked.map { _ in locked },
            data: update.data.map { _ in DataUpdate(data) },
            completed: update.done.flatMap { _ in stamps.completed })
    }

    /// The values of `update` that differ from the current ones. Texts are compared by bytes.
    func changes(in update: TaskUpdate) -> TaskUpdate {
        var changes = update
        if let title = changes.title, title.isWritten(like: self.title) { changes.title = nil }
        if changes.done == done { changes.done = nil }
        if changes.done != true { changes.completed = nil }
        if changes.locked == locked { changes.locked = nil }
        if let data = changes.data, data.matches(self.data) { changes.data = nil }
        return changes
    }
}
