/// A list's next version, to be appended to the store.
///
/// A class, because it is passed through many functions and has many parts to copy.
package final class ListCommit: Sendable {
    package let list: String
    /// The new version: the list's last version plus 1.
    package let version: Int
    /// The time of the decision, in milliseconds since 1970; it equals the change's own `at`.
    package let at: Int64
    /// The encoded change that leads to this version.
    package let change: [UInt8]
    /// The whole list at `version`. It is present if the change creates or replaces the list, or if
    /// replaying the changes since the last snapshot costs more than writing this one.
    package let snapshot: [UInt8]?
    /// The list's state after the change.
    package let outcome: Outcome
    /// The ids of tasks that the change added to the list.
    package let insertedTasks: [String]
    /// The ids of tasks that the change removed from the list; not needed if the list is deleted.
    package let deletedTasks: [String]

    package enum Outcome: Sendable, Equatable {
        case exists(title: String, count: Int)
        /// The list and its tasks are deleted; only the last version is kept.
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
