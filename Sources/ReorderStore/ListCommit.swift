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
    package let stateAfter: State
    /// The ids of tasks that the change added to the list.
    package let insertedTasks: [String]
    /// The ids of tasks that the change removed from the list; not needed if the list is deleted.
    package let deletedTasks: [String]
    /// If the change deletes an existing list and the store keeps its content: the list before the
    /// change. It is then in the bin.
    package let binned: Binned?
    /// Whether the change restores the list from the bin, so that its history goes on. A commit that creates
    /// a list again otherwise begins a new history.
    package let isRestored: Bool

    package struct Binned: Sendable, Equatable {
        package var title: String
        /// The number of tasks.
        package var count: Int

        package init(title: String, count: Int) {
            self.title = title
            self.count = count
        }
    }

    package enum State: Sendable, Equatable {
        /// - Parameters:
        ///   - count: the number of tasks.
        ///   - open: the number of top-level tasks that are not done.
        case exists(title: String, count: Int, open: Int)
        /// The list and its tasks are deleted. Only the last version is kept, and the content if
        /// `binned` is given.
        case deleted
    }

    package init(
        list: String, version: Int, at: Int64, change: [UInt8], snapshot: [UInt8]? = nil,
        stateAfter: State, insertedTasks: [String] = [], deletedTasks: [String] = [],
        binned: Binned? = nil, isRestored: Bool = false
    ) {
        self.list = list
        self.version = version
        self.at = at
        self.change = change
        self.snapshot = snapshot
        self.stateAfter = stateAfter
        self.insertedTasks = insertedTasks
        self.deletedTasks = deletedTasks
        self.binned = stateAfter == .deleted ? binned : nil
        self.isRestored = isRestored
    }

    /// The number of tasks inserted and deleted.
    package var taskCount: Int { insertedTasks.count + deletedTasks.count }

    /// The size of the change and the snapshot.
    package var byteCount: Int { change.count + (snapshot?.count ?? 0) }

    /// The last version that is hidden from now on, because a former list with this id is gone for good;
    /// nil if the commit hides nothing. A list in the bin is not gone.
    ///
    /// - Parameter existed: whether the list existed before the commit.
    package func hiddenVersion(existed: Bool) -> Int? {
        switch stateAfter {
        case .deleted: existed && binned != nil ? nil : version - 1
        case .exists: existed || isRestored || version == 1 ? nil : version - 1
        }
    }
}
