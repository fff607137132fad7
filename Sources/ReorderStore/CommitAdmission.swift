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
///
/// It is a value. To discard some commits later, keep a copy that was made before they were
/// admitted.
package struct CommitAdmission {
    package struct Last {
        package var version: Int
        package var exists: Bool

        package init(version: Int, exists: Bool) {
            self.version = version
            self.exists = exists
        }
    }

    /// The effects of the commits admitted so far.
    private var lists: [String: Last] = [:]
    private var holders: [String: String?] = [:]
    /// The lists that these commits delete. The store's `holder` no longer applies to their tasks.
    private var emptied: Set<String> = []

    package init() {}

    /// Admits a commit, or throws `conflict` or `taskTaken`.
    ///
    /// - Parameter isLast: whether this is the last commit, whose effects need not be recorded.
    package mutating func admit(
        _ commit: ListCommit, isLast: Bool = false, to stored: some StateBeforeCommits
    ) throws(StoreError) {
        let before = lists[commit.list] ?? stored.last(of: commit.list)
        guard commit.version == before.version + 1 else { throw .conflict(list: commit.list) }
        switch commit.stateAfter {
        case .exists:
            guard before.exists || commit.snapshot != nil else {
                throw .conflict(list: commit.list)
            }
            if holders.isEmpty {
                // A dictionary that grows takes more memory.
                holders.reserveCapacity(commit.insertedTasks.count + commit.deletedTasks.count)
            }
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
            if !isLast { lists[commit.list] = Last(version: commit.version, exists: true) }
        case .deleted:
            emptied.insert(commit.list)
            for (task, list) in holders where list == commit.list {
                holders[task] = .some(nil)
            }
            lists[commit.list] = Last(version: commit.version, exists: false)
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
