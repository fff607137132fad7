/// New values for parts of a task; nil keeps the current value.
public struct TaskPatch: Sendable, Equatable {
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
