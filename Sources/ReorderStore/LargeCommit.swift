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
        isExceeded(by: CollectionOfOne(commit), deleting: countInDeletedList)
    }

    /// Whether these commits are large together.
    package func isExceeded(
        by commits: some Collection<ListCommit>, deleting countInDeletedList: Int = 0
    ) -> Bool {
        var (taskCount, byteCount) = (countInDeletedList, 0)
        for commit in commits {
            taskCount += commit.insertedTasks.count + commit.deletedTasks.count
            byteCount += commit.change.count + (commit.snapshot?.count ?? 0)
        }
        return taskCount > tasks || byteCount > bytes
    }

    /// The size beyond which an append of small commits is large. The writer of the service makes none of
    /// its batches as large, but a single write with many steps can be.
    package var ofAppend: LargeCommit { LargeCommit(tasks: 2 * tasks, bytes: 2 * bytes) }
}
