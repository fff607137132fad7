/// The members of a task that a client asks for.
package struct TaskFields: Sendable, Equatable {
    package enum Field: String, Sendable, CaseIterable {
        /// The id of the task's list. Only results of a search over many lists have it.
        case list
        case id, title, section, parent, position, row, depth, collapsed, locked, done
        case lockedByOffset, subtasks, createdAt, updatedAt, completedAt, createdBy, updatedBy,
            completedBy, data
    }

    /// nil means all.
    let fields: Set<Field>?

    package static let all = TaskFields(fields: nil)

    private init(fields: Set<Field>?) {
        self.fields = fields
    }

    /// - Parameter fields: not empty.
    package init(_ fields: Set<Field>) {
        self.init(fields: fields)
    }

    @inline(__always)
    func contains(_ field: Field) -> Bool { fields.map { $0.contains(field) } ?? true }
}
