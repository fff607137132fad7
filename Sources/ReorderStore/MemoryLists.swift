/// The state that a `MemoryListStore` protects with its lock.
struct MemoryLists {
    /// All lists that ever existed, including deleted ones, whose versions continue.
    private var lists: [String: Entry] = [:]
    /// The ids of the existing lists, ascending.
    private var order: [String] = []
    /// The ids of the lists in the bin, ascending.
    private var bin: [String] = []
    /// The ids of all lists that ever existed, in the order of their creation.
    private var known: [String] = []
    /// The same ids, ascending, if they were sorted since the last creation.
    private var sortedKnown: [String] = []
    /// The number of lists in `known` that the current pruning pass has checked.
    private var checkedCount = 0
    /// The list that contains each task.
    private(set) var holders: [String: String] = [:]
    var responses = MemoryResponses()
    var tokens = MemoryTokens()
    private(set) var journal = MemoryJournal()

    /// A class, so that reading or changing an entry copies nothing. Most entries are not in the
    /// processor's cache, so each copied part would load a reference count from memory. For
    /// speed, overlapping accesses are not detected at run time; the store's lock is held during each.
    fileprivate final class Entry {
        @exclusivity(unchecked) var version = 0
        @exclusivity(unchecked) var history = MemoryHistory()
        @exclusivity(unchecked) var present: Present?
        /// The list if it is in the bin.
        var deleted: Present?
        var deletedAt: Int64 = 0
        /// The last version of a former list, or 0.
        var hidden = 0
    }

    /// The state that only an existing list has, or one in the bin.
    fileprivate struct Present {
        var title: String
        var count: Int
        var open: Int
        var snapshot: StoredSnapshot
        var earlierSnapshot: StoredSnapshot?
        var tasks: Set<String> = []
    }

    func load(_ list: String) -> LoadedList? {
        guard let entry = lists[list] else { return nil }
        let content = entry.present.map { present in
            LoadedList.Content(
                snapshot: present.snapshot.bytes, snapshotVersion: present.snapshot.version,
                changes: entry.history.changes(after: present.snapshot.version, limit: .max))
        }
        return LoadedList(version: entry.version, content: content)
    }

    func snapshots(of list: String) -> [StoredSnapshot] {
        guard let present = lists[list]?.present ?? lists[list]?.deleted else { return [] }
        return (present.earlierSnapshot.map { [$0] } ?? []) + [present.snapshot]
    }

    func changes(of list: String, after version: Int, limit: Int) -> [StoredChange]? {
        guard let entry = lists[list] else { return [] }
        guard max(0, version) >= max(entry.history.prunedVersion, entry.hidden) else { return nil }
        return entry.history.changes(after: max(0, version), limit: limit)
    }

    func prunedVersion(of list: String) -> Int {
        lists[list].map { max($0.history.prunedVersion, $0.hidden) } ?? 0
    }

    func entries(after position: Int, limit: Int) -> [JournalEntry]? {
        journal.entries(after: position, limit: limit)?.map { entry in
            var entry = entry
            if entry.change.version <= lists[entry.list]?.hidden ?? 0 { entry.change.bytes = [] }
            return entry
        }
    }

    func summaries(after list: String?, limit: Int) -> [IndexedList] {
        Self.ids(in: order, after: list).prefix(limit).compactMap { id in
            guard let entry = lists[id], let present = entry.present else { return nil }
            return IndexedList(
                id: id, title: present.title, version: entry.version, count: present.count,
                open: present.open)
        }
    }

    /// The part of an ascending array after an id.
    private static func ids(in order: [String], after id: String?) -> ArraySlice<String> {
        guard let id else { return order[...] }
        let index = insertionIndex(of: id, in: order)
        return order[(index < order.count && order[index] == id ? index + 1 : index)...]
    }

    func deletedLists(after list: String?, limit: Int) -> [BinEntry] {
        Self.ids(in: bin, after: list).prefix(limit).compactMap {
            deletedList($0, withContent: false)
        }
    }

    func deletedList(_ list: String, withContent: Bool) -> BinEntry? {
        guard let entry = lists[list], let deleted = entry.deleted else { return nil }
        let snapshot = deleted.snapshot
        let changes: [StoredChange] =
            withContent
            ? entry.history.changes(after: snapshot.version, limit: .max).dropLast() : []
        return BinEntry(
            id: list, title: deleted.title, count: deleted.count, version: entry.version,
            deletedAt: entry.deletedAt,
            content: withContent
                ? LoadedList.Content(
                    snapshot: snapshot.bytes, snapshotVersion: snapshot.version, changes: changes)
                : nil)
    }

    mutating func pruneBin(deletedBefore time: Int64, limit: Int) -> Bool {
        var gone: [String] = []
        for list in bin where gone.count < limit && (lists[list]?.deletedAt ?? 0) < time {
            gone.append(list)
        }
        for list in gone {
            discard(list)
            if let entry = lists[list] { entry.hidden = entry.version - 1 }
        }
        return gone.count == limit
    }

    /// Removes a list from the bin.
    private mutating func discard(_ list: String) {
        lists[list]?.deleted = nil
        bin.remove(at: Self.insertionIndex(of: list, in: bin))
    }

    mutating func heads(after list: String?, limit: Int) -> [ListHead] {
        if sortedKnown.count != known.count { sortedKnown = known.sorted() }
        let start = list.map { Self.insertionIndex(of: $0, in: sortedKnown) } ?? 0
        return sortedKnown[start...].lazy.filter { $0 != list }.prefix(limit).compactMap { id in
            lists[id].map { entry in
                ListHead(
                    list: id, version: entry.version, exists: entry.present != nil,
                    position: entry.history.lastPosition)
            }
        }
    }

    /// Atomic: all commits are checked before the first is applied.
    mutating func append(
        _ commits: [ListCommit], responses new: [StoredResponse]
    ) throws(StoreError) {
        try check(commits)
        if let kept = responses.conflict(with: new) { throw .conflict(list: kept.key.owner) }
        responses.keep(new)
        for commit in commits { apply(commit) }
    }

    private func check(_ commits: [ListCommit]) throws(StoreError) {
        var admission = CommitAdmission(commitCount: commits.count)
        for commit in commits { try admission.admit(commit, to: self) }
    }

    /// - Returns: false if the token's list does not exist.
    mutating func add(_ token: StoredToken) throws(StoreError) -> Bool {
        if let list = token.list, lists[list]?.present == nil { return false }
        guard tokens.add(token) else { throw .conflict(list: token.id) }
        return true
    }

    private mutating func apply(_ commit: ListCommit) {
        let entry = entry(of: commit.list)
        if entry.deleted != nil { discard(commit.list) }
        entry.version = commit.version
        entry.hidden = commit.hiddenVersion(existed: entry.present != nil) ?? entry.hidden
        entry.history.append(commit.change, at: commit.at, position: journal.lastPosition + 1)
        journal.append(commit.list, StoredChange(version: commit.version, bytes: commit.change))
        switch commit.stateAfter {
        case .exists(let title, let count, let open):
            let isNew = entry.present == nil
            let snapshot = commit.snapshot.map {
                StoredSnapshot(version: commit.version, bytes: $0)
            }
            if let snapshot, isNew {
                // Always true: `admit` requires a snapshot for a new list.
                entry.present = Present(
                    title: title, count: count, open: open, snapshot: snapshot)
            } else if let snapshot {
                let earlier = entry.present?.snapshot
                entry.present?.earlierSnapshot = earlier
                entry.present?.snapshot = snapshot
            }
            entry.present?.title = title
            entry.present?.count = count
            entry.present?.open = open
            for task in commit.deletedTasks where entry.present?.tasks.remove(task) != nil {
                holders[task] = nil
            }
            for task in commit.insertedTasks {
                entry.present?.tasks.insert(task)
                holders[task] = commit.list
            }
            if isNew {
                order.insert(commit.list, at: Self.insertionIndex(of: commit.list, in: order))
            }
        case .deleted:
            if var present = entry.present.take() {
                for task in present.tasks { holders[task] = nil }
                order.remove(at: Self.insertionIndex(of: commit.list, in: order))
                tokens.removeLinks(to: commit.list)
                guard let binned = commit.binned else { return }
                present.tasks = []
                (present.title, present.count) = (binned.title, binned.count)
                (entry.deleted, entry.deletedAt) = (present, commit.at)
                bin.insert(commit.list, at: Self.insertionIndex(of: commit.list, in: bin))
            }
        }
    }

    /// The list's entry; a new one if the list never existed.
    private mutating func entry(of list: String) -> Entry {
        if let entry = lists[list] { return entry }
        let entry = Entry()
        lists[list] = entry
        known.append(list)
        return entry
    }

    mutating func pruneChanges(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int, limit: Int
    ) -> Bool {
        var room = limit
        for _ in 0..<Self.listsPerCall where checkedCount < known.count {
            let list = known[checkedCount]
            if let entry = lists[list] {
                let bound = min(
                    entry.version - max(1, keepingLast),
                    (entry.present ?? entry.deleted).map {
                        ($0.earlierSnapshot ?? $0.snapshot).version
                    } ?? .max)
                room -= entry.history.prune(
                    upTo: bound, olderThan: time, orFrom: future, limit: room)
                journal.discard(upTo: entry.history.prunedPosition)
            }
            // This list may have more changes to prune.
            if room == 0 { return true }
            checkedCount += 1
        }
        if checkedCount < known.count { return true }
        checkedCount = 0
        return false
    }

    /// Bounds the duration of a call in which nothing can be pruned.
    private static let listsPerCall = 4_096

    /// The index of an id in an ascending array, or where to insert it: O(log lists).
    private static func insertionIndex(of id: String, in order: [String]) -> Int {
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

extension MemoryLists: StateBeforeCommits {
    func last(of list: String) -> CommitAdmission.Last {
        let entry = lists[list]
        return .init(version: entry?.version ?? 0, exists: entry?.present != nil)
    }

    func holder(of task: String) -> String? { holders[task] }
}
