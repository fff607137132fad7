/// What a `MemoryListStore` protects with its lock.
struct MemoryLists {
    let keptChanges: Int
    /// Every list that ever was, the deleted ones too: their versions count on.
    private var lists: [String: Entry] = [:]
    /// The ids of the lists that exist, ascending.
    private var order: [String] = []
    /// Which list holds a task.
    private(set) var holders: [String: String] = [:]

    fileprivate struct Entry {
        var version = 0
        /// The last changes, up to `version` without gaps.
        var changes: [[UInt8]] = []
        var present: Present?
    }

    /// What only a list that exists has.
    fileprivate struct Present {
        var title: String
        var count: Int
        var snapshot: [UInt8]
        var snapshotVersion: Int
        var tasks: Set<String> = []
    }

    init(keptChanges: Int) {
        self.keptChanges = keptChanges
    }

    func load(_ list: String) -> StoredList? {
        guard let entry = lists[list] else { return nil }
        let content = entry.present.map { present in
            StoredList.Content(
                snapshot: present.snapshot, snapshotVersion: present.snapshotVersion,
                changes: entry.stored(after: present.snapshotVersion, limit: .max))
        }
        return StoredList(version: entry.version, content: content)
    }

    func changes(of list: String, after version: Int, limit: Int) -> [StoredChange]? {
        guard let entry = lists[list] else { return [] }
        guard version >= entry.versionBeforeChanges else { return nil }
        return entry.stored(after: version, limit: limit)
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
    mutating func append(_ commits: [ListCommit]) throws(StoreError) {
        try check(commits)
        for commit in commits {
            apply(commit)
        }
    }

    private func check(_ commits: [ListCommit]) throws(StoreError) {
        var admission = MemoryAdmission(
            last: { id in
                let entry = lists[id]
                return .init(version: entry?.version ?? 0, exists: entry?.present != nil)
            },
            holder: { holders[$0] })
        for commit in commits {
            try admission.admit(commit)
        }
    }

    private mutating func apply(_ commit: ListCommit) {
        // Taken out while it changes, so that its arrays grow in place.
        var entry = lists.updateValue(Entry(), forKey: commit.list) ?? Entry()
        entry.version = commit.version
        entry.changes.append(commit.change)
        switch commit.outcome {
        case .exists(let title, let count):
            let isNew = entry.present == nil
            var present =
                entry.present.take()
                ?? Present(title: title, count: count, snapshot: [], snapshotVersion: 0)
            present.title = title
            present.count = count
            if let snapshot = commit.snapshot {
                present.snapshot = snapshot
                present.snapshotVersion = commit.version
            }
            for task in commit.deletedTasks where present.tasks.remove(task) != nil {
                holders[task] = nil
            }
            for task in commit.insertedTasks {
                present.tasks.insert(task)
                holders[task] = commit.list
            }
            entry.present = present
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
        entry.forget(keeping: keptChanges)
        lists[commit.list] = entry
    }

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

extension MemoryLists.Entry {
    /// The last version whose change is no longer kept; 0 where all are.
    var versionBeforeChanges: Int { version - changes.count }

    func stored(after version: Int, limit: Int) -> [StoredChange] {
        let first = max(0, version - versionBeforeChanges)
        return changes.enumerated().dropFirst(first).prefix(limit).map { index, bytes in
            StoredChange(version: versionBeforeChanges + index + 1, bytes: bytes)
        }
    }

    /// Forgets only once half can go: amortised O(1) a change.
    mutating func forget(keeping kept: Int) {
        guard changes.count > 2 * kept else { return }
        let needed = present.map { version - $0.snapshotVersion } ?? 0
        changes.removeFirst(max(0, changes.count - max(kept, needed)))
    }
}
