/// What a `MemoryListStore` protects with its lock.
struct MemoryLists {
    /// Every list that ever was, the deleted ones too: their versions count on.
    private var lists: [String: Entry] = [:]
    /// The ids of the lists that exist, ascending.
    private var order: [String] = []
    /// The ids of all lists that ever were, in the order in which they were made.
    private var known: [String] = []
    /// How many of `known` this pass of forgetting is through with.
    private var looked = 0
    /// Which list holds a task.
    private(set) var holders: [String: String] = [:]
    var answers = MemoryAnswers()

    /// An object, so that a look or a change copies nothing of it: most lists are cold, and each part that
    /// is copied has its reference count fetched from memory.
    fileprivate final class Entry {
        var version = 0
        var history = MemoryHistory()
        var present: Present?
    }

    /// What only a list that exists has.
    fileprivate struct Present {
        var title: String
        var count: Int
        var snapshot: StoredSnapshot
        var earlierSnapshot: StoredSnapshot?
        var tasks: Set<String> = []
    }

    func load(_ list: String) -> StoredList? {
        guard let entry = lists[list] else { return nil }
        let content = entry.present.map { present in
            StoredList.Content(
                snapshot: present.snapshot.bytes, snapshotVersion: present.snapshot.version,
                changes: entry.history.changes(after: present.snapshot.version, limit: .max))
        }
        return StoredList(version: entry.version, content: content)
    }

    func snapshots(of list: String) -> [StoredSnapshot] {
        guard let present = lists[list]?.present else { return [] }
        return (present.earlierSnapshot.map { [$0] } ?? []) + [present.snapshot]
    }

    func changes(of list: String, after version: Int, limit: Int) -> [StoredChange]? {
        guard let entry = lists[list] else { return [] }
        guard max(0, version) >= entry.history.forgotten else { return nil }
        return entry.history.changes(after: max(0, version), limit: limit)
    }

    func summaries(after list: String?, limit: Int) -> [ListSummary] {
        let start = list.map { id in
            let place = insertionPlace(of: id)
            return place < order.count && order[place] == id ? place + 1 : place
        }
        return order[(start ?? 0)...].prefix(limit).compactMap { id in
            guard let entry = lists[id], let present = entry.present else { return nil }
            return ListSummary(
                id: id, title: present.title, version: entry.version, count: present.count)
        }
    }

    /// All are checked before the first is applied: that is what makes it all or none.
    mutating func append(
        _ commits: [ListCommit], answers new: [StoredAnswer]
    ) throws(StoreError) {
        try check(commits)
        if let kept = answers.conflict(with: new) { throw .conflict(list: kept.key.owner) }
        answers.keep(new)
        for commit in commits {
            apply(commit)
        }
    }

    private func check(_ commits: [ListCommit]) throws(StoreError) {
        var admission = CommitAdmission(
            last: { [lists] id in
                let entry = lists[id]
                return .init(version: entry?.version ?? 0, exists: entry?.present != nil)
            },
            holder: { [holders] in holders[$0] })
        for index in commits.indices {
            try admission.admit(commits[index], isLast: index == commits.count - 1)
        }
    }

    private mutating func apply(_ commit: ListCommit) {
        let entry = entry(of: commit.list)
        entry.version = commit.version
        entry.history.append(commit.change, at: commit.at)
        switch commit.outcome {
        case .exists(let title, let count):
            let isNew = entry.present == nil
            let snapshot = commit.snapshot.map {
                StoredSnapshot(version: commit.version, bytes: $0)
            }
            if let snapshot, isNew {
                // Admitted: what is made has a snapshot.
                entry.present = Present(title: title, count: count, snapshot: snapshot)
            } else if let snapshot {
                let earlier = entry.present?.snapshot
                entry.present?.earlierSnapshot = earlier
                entry.present?.snapshot = snapshot
            }
            entry.present?.title = title
            entry.present?.count = count
            for task in commit.deletedTasks where entry.present?.tasks.remove(task) != nil {
                holders[task] = nil
            }
            for task in commit.insertedTasks {
                entry.present?.tasks.insert(task)
                holders[task] = commit.list
            }
            if isNew {
                order.insert(commit.list, at: insertionPlace(of: commit.list))
            }
        case .deleted:
            if let present = entry.present.take() {
                for task in present.tasks {
                    holders[task] = nil
                }
                order.remove(at: insertionPlace(of: commit.list))
            }
        }
    }

    /// The entry of a list, made where there never was one.
    private mutating func entry(of list: String) -> Entry {
        if let entry = lists[list] { return entry }
        let entry = Entry()
        lists[list] = entry
        known.append(list)
        return entry
    }

    mutating func forgetChanges(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int, limit: Int
    ) -> Bool {
        var room = limit
        for _ in 0..<Self.listsInOneLook where looked < known.count {
            let list = known[looked]
            if let entry = lists[list] {
                let bound = min(
                    entry.version - max(1, keepingLast),
                    entry.present.map { ($0.earlierSnapshot ?? $0.snapshot).version } ?? .max)
                room -= entry.history.forget(
                    upTo: bound, olderThan: time, orFrom: future, limit: room)
            }
            // There may be more of this list.
            if room == 0 { return true }
            looked += 1
        }
        if looked < known.count { return true }
        looked = 0
        return false
    }

    /// So that a look where nothing goes is as short as one where much does.
    private static let listsInOneLook = 4_096

    /// Where an id is or would be in `order`: O(log lists).
    private func insertionPlace(of id: String) -> Int {
        var low = 0
        var high = order.count
        while low < high {
            let middle = low + (high - low) / 2
            if order[middle].utf8.lexicographicallyPrecedes(id.utf8) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
