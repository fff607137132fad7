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
        commit.taskCount + countInDeletedList > tasks || commit.byteCount > bytes
    }

    /// Whether these commits are large together.
    package func isExceeded(by commits: [ListCommit]) -> Bool {
        commits.reduce(0) { $0 + $1.taskCount } > tasks
            || commits.reduce(0) { $0 + $1.byteCount } > bytes
    }

    /// The size beyond which an append of small commits is large. The writer of the service makes none of
    /// its batches as large, but a single write with many steps can be.
    package var ofAppend: LargeCommit { LargeCommit(tasks: 2 * tasks, bytes: 2 * bytes) }
}
