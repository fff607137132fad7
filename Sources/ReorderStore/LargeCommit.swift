/// The size beyond which a commit is large. Commits of other lists do not wait for a large commit;
/// they are stored meanwhile.
package struct LargeCommit: Sendable {
    /// The number of tasks inserted and deleted.
    package var tasks: Int
    /// The size of the change and the snapshot.
    package var bytes: Int

    /// Commits up to the default size take a few dozen milliseconds.
    package init(tasks: Int = 2_000, bytes: Int = 1 << 20) {
        self.tasks = tasks
        self.bytes = bytes
    }

    /// - Parameter countInDeletedList: the number of tasks in the list that the commit deletes.
    package func isExceeded(by commit: ListCommit, deleting countInDeletedList: Int = 0) -> Bool {
        commit.insertedTasks.count + commit.deletedTasks.count + countInDeletedList > tasks
            || commit.change.count + (commit.snapshot?.count ?? 0) > bytes
    }
}
