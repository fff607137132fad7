/// A list's next version, to be appended.
package struct ListCommit: Sendable, Equatable {
    package var list: String
    /// The new version: the list's last one plus 1.
    package var version: Int
    /// When it was decided, in milliseconds since 1970: what the change's own `at` says.
    package var at: Int64
    /// The change that leads to it, as the journal keeps it.
    package var change: [UInt8]
    /// The whole list at `version`, where the changes since the last snapshot cost more to replay
    /// than this costs to write, and always where the change makes or replaces the list.
    package var snapshot: [UInt8]?
    /// What the list is afterwards.
    package var outcome: Outcome
    /// Ids of tasks that the change brought into the list.
    package var insertedTasks: [String]
    /// Ids of tasks that the change took out of the list (not needed where the list is deleted).
    package var deletedTasks: [String]

    package enum Outcome: Sendable, Equatable {
        case exists(title: String, count: Int)
        /// The list and all its tasks are gone; only its last version stays known.
        case deleted
    }

    package init(
        list: String, version: Int, at: Int64, change: [UInt8], snapshot: [UInt8]? = nil,
        outcome: Outcome, insertedTasks: [String] = [], deletedTasks: [String] = []
    ) {
        self.list = list
        self.version = version
        self.at = at
        self.change = change
        self.snapshot = snapshot
        self.outcome = outcome
        self.insertedTasks = insertedTasks
        self.deletedTasks = deletedTasks
    }
}
