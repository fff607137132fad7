/// A store's state before the commits that are validated.
package protocol StateBeforeCommits {
    /// The last version of a list.
    func last(of list: String) -> CommitAdmission.Last
    /// The list that contains a task.
    func holder(of task: String) -> String?
}

extension [String] {
    /// The different ids, ascending. Takes less memory than a set of them.
    package consuming func sortedWithoutRepetition() -> [String] {
        var ids = self
        ids.sort()
        var count = 0
        for index in ids.indices where count == 0 || ids[index] != ids[count - 1] {
            ids.swapAt(count, index)
            count += 1
        }
        ids.removeLast(ids.count - count)
        return ids
    }
}

/// Validates commits one after the other against a store that does not change meanwhile: each call
/// gets the same `stored`.
package struct CommitAdmission {
    package struct Last {
        package var version: Int
        package var exists: Bool

        package init(version: Int, exists: Bool) {
            self.version = version
            self.exists = exists
        }

        fileprivate mutating func advance(by commit: ListCommit) throws(StoreError) {
            let existsAfter = commit.stateAfter != .deleted
            guard commit.version == version + 1,
                exists || commit.snapshot != nil || !existsAfter
            else { throw .conflict(list: commit.list) }
            (version, exists) = (commit.version, existsAfter)
        }
    }

    /// The effects of the commits admitted so far.
    private var lists: [String: Last] = [:]
    private var holders: [String: String?] = [:]
    /// The lists that these commits delete. The store's `holder` no longer applies to their tasks.
    private var emptied: Set<String> = []

    /// - Parameter commitCount: the number of commits to reserve memory for.
    package init(commitCount: Int = 0) { lists.reserveCapacity(commitCount) }

    /// Admits a commit, or throws `conflict` or `taskTaken`.
    package mutating func admit(
        _ commit: ListCommit, to stored: some StateBeforeCommits
    ) throws(StoreError) {
        let last = stored.last(of: commit.list)
        try lists[commit.list, default: last].advance(by: commit)
        switch commit.stateAfter {
        case .exists:
            // A dictionary that grows takes more memory.
            if holders.isEmpty, commit.taskCount > 0 { holders.reserveCapacity(commit.taskCount) }
            for task in commit.deletedTasks where currentHolder(of: task, in: stored) == commit.list
            {
                holders[task] = .some(nil)
            }
            for task in commit.insertedTasks {
                if let other = currentHolder(of: task, in: stored), other != commit.list {
                    throw .taskTaken(id: task)
                }
                holders[task] = commit.list
            }
        case .deleted:
            emptied.insert(commit.list)
            for (task, list) in holders where list == commit.list {
                holders[task] = .some(nil)
            }
        }
    }

    /// The list that contains a task after the commits admitted so far.
    package func currentHolder(
        of task: String, in stored: some StateBeforeCommits
    ) -> String? {
        if let changed = holders[task] { return changed }
        guard let list = stored.holder(of: task), !emptied.contains(list) else { return nil }
        return list
    }
}
