import ReorderStore

/// Decides which groups of an append can be written, and computes their combined effect.
struct AppendPlan {
    /// For each group the reason why it can't be written, or nil.
    private(set) var refusals: [StoreError?] = []
    private(set) var commits: [ListCommit] = []
    /// The last response for each key.
    private(set) var responses: [StoredResponseKey: StoredResponse] = [:]
    private var admitted: [CommitGroup] = []
    private let stored: LockedState
    private var check = CommitAdmission()

    init(_ groups: [CommitGroup], to stored: LockedState) {
        self.stored = stored
        for group in groups { refusals.append(admit(group)) }
        commits = admitted.flatMap(\.commits)
    }

    private mutating func admit(_ group: CommitGroup) -> StoreError? {
        // Fast path: most rejected groups build on an old version.
        if let first = group.commits.first,
            first.version != (stored.lists[first.list]?.version ?? 0) + 1
        {
            return .conflict(list: first.list)
        }
        do throws(StoreError) {
            for commit in group.commits { try check.admit(commit, to: stored) }
            try admit(group.responses)
        } catch {
            // Discards the effects of the group's commits that were admitted.
            check = CommitAdmission()
            for commit in admitted.lazy.flatMap(\.commits) {
                try? check.admit(commit, to: stored)
            }
            return error
        }
        admitted.append(group)
        return nil
    }

    private mutating func admit(_ new: [StoredResponse]) throws(StoreError) {
        guard !new.isEmpty else { return }
        var responses = responses
        for answer in new {
            let kept = responses[answer.key] ?? stored.responses[answer.key]
            if let kept, kept.expires > answer.at { throw .conflict(list: answer.key.owner) }
            responses[answer.key] = answer
        }
        self.responses = responses
    }

    // MARK: Changes of tasks

    struct Tasks {
        var inserted: [(id: String, list: String)] = []
        var moved: [(id: String, list: String)] = []
        var deleted: [String] = []
    }

    /// The changes of the index of tasks, in the order of their ids.
    var tasks: Tasks {
        let inserted = commits.flatMap(\.insertedTasks)
        guard !inserted.isEmpty || !stored.holders.isEmpty else { return Tasks() }
        var tasks = Tasks()
        let all = (inserted + stored.holders.keys).sortedWithoutRepetition()
        for id in all {
            let (before, after) = (stored.holders[id], check.currentHolder(of: id, in: stored))
            guard before != after else { continue }
            switch (before, after) {
            case (nil, let list?): tasks.inserted.append((id, list))
            case (_, let list?): tasks.moved.append((id, list))
            case (_, nil): tasks.deleted.append(id)
            }
        }
        return tasks
    }

    // MARK: Changes of lists

    /// A list's row after the commits, and the changes of its snapshots.
    struct List {
        var id: String
        var row: LockedState.List
        var isNew: Bool
        var title: [UInt8]?
        var count = 0
        var open = 0
        /// The list if it is in the bin after the commits, and the time of its deletion.
        var binned: ListCommit.Binned?
        var deletedAt = 0
        /// The time of its first commit's decision.
        var oldest: Int
        /// The snapshots to insert.
        var snapshots: [StoredSnapshot] = []
        /// Snapshots before this version are deleted.
        var firstKept = 0
    }

    /// The changed lists, in the order of their ids.
    var lists: [List] {
        var lists: [String: List] = [:]
        for commit in commits {
            var list = lists.removeValue(forKey: commit.list) ?? List(commit, stored)
            list.add(commit)
            lists[commit.list] = list
        }
        return lists.values.sorted { LockedState.precedesInBytes($0.id, $1.id) }
    }
}

extension LockedState: StateBeforeCommits {
    func last(of list: String) -> CommitAdmission.Last {
        .init(version: lists[list]?.version ?? 0, exists: lists[list]?.exists ?? false)
    }

    func holder(of task: String) -> String? { holders[task] }
}

extension AppendPlan.List {
    fileprivate init(_ first: ListCommit, _ stored: LockedState) {
        let row = stored.lists[first.list]
        self.init(
            id: first.list,
            row: row
                ?? LockedState.List(
                    version: 0, exists: false, snapshot: 0, earlier: 0, snapshotBytes: 0,
                    forgotten: 0, hidden: 0),
            isNew: row == nil, oldest: Int(first.at))
    }

    fileprivate mutating func add(_ commit: ListCommit) {
        row.version = commit.version
        row.hidden = commit.hiddenVersion(existed: row.exists) ?? row.hidden
        binned = row.exists ? commit.binned : nil
        deletedAt = binned == nil ? 0 : Int(commit.at)
        // A list that leaves the bin, or that is deleted without its content.
        if !row.exists || commit.stateAfter == .deleted, binned == nil {
            (row.snapshot, row.earlier, row.snapshotBytes) = (0, 0, 0)
            snapshots = []
            firstKept = .max
        }
        row.exists = commit.stateAfter != .deleted
        switch commit.stateAfter {
        case .exists(let title, let count, let open):
            self.title = Array(title.utf8)
            (self.count, self.open) = (count, open)
        case .deleted:
            title = nil
            (count, open) = (0, 0)
        }
        guard let bytes = commit.snapshot, commit.stateAfter != .deleted else { return }
        (row.earlier, row.snapshot) = (row.snapshot, commit.version)
        row.snapshotBytes = bytes.count
        snapshots = (snapshots + [StoredSnapshot(version: commit.version, bytes: bytes)]).suffix(2)
        firstKept = row.earlier > 0 ? row.earlier : row.snapshot
    }
}
