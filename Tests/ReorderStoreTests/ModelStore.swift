import ReorderStore

/// A trivial implementation of the contract, to compare with: every append works on a copy.
struct ModelStore {
    struct List {
        var version = 0
        var changes: [(bytes: [UInt8], at: Int64)] = []
        var forgotten = 0
        /// The last version of a former list.
        var hidden = 0
        var title: String?
        var count = 0
        var open = 0
        /// Those of a list in the bin are kept.
        var snapshots: [StoredSnapshot] = []
        var deleted: BinEntry?
    }

    private(set) var lists: [String: List] = [:]
    private(set) var holders: [String: String] = [:]
    private(set) var responses: [StoredResponseKey: StoredResponse] = [:]

    mutating func append(
        _ commits: [ListCommit], responses new: [StoredResponse] = []
    ) throws(StoreError) {
        var after = self
        for commit in commits {
            try after.apply(commit)
        }
        for response in new {
            if let old = after.responses[response.key], old.expires > response.at {
                throw .conflict(list: response.key.owner)
            }
            after.responses[response.key] = response
        }
        self = after
    }

    mutating func setCount(of list: String, _ count: Int) { lists[list]?.count = count }

    /// A whole pass.
    mutating func removeResponses(expiredAt time: Int64) {
        responses = responses.filter { $0.value.expires > time }
    }

    /// A whole pass.
    mutating func pruneBin(deletedBefore time: Int64) {
        for (id, list) in lists {
            guard let deleted = list.deleted, deleted.deletedAt < time else { continue }
            lists[id]?.deleted = nil
            lists[id]?.snapshots = []
            lists[id]?.hidden = list.version - 1
        }
    }

    private mutating func apply(_ commit: ListCommit) throws(StoreError) {
        var list = lists[commit.list] ?? List()
        guard commit.version == list.version + 1 else { throw .conflict(list: commit.list) }
        list.version += 1
        list.changes.append((commit.change, commit.at))
        list.deleted = nil
        list.hidden = commit.hiddenVersion(existed: list.title != nil) ?? list.hidden
        if list.title == nil { list.snapshots = [] }
        switch commit.stateAfter {
        case .exists(let title, let count, let open):
            guard list.title != nil || commit.snapshot != nil else {
                throw .conflict(list: commit.list)
            }
            list.title = title
            list.count = count
            list.open = open
            if let snapshot = commit.snapshot {
                list.snapshots.append(StoredSnapshot(version: commit.version, bytes: snapshot))
                list.snapshots = list.snapshots.suffix(2)
            }
            for task in commit.deletedTasks where holders[task] == commit.list {
                holders[task] = nil
            }
            for task in commit.insertedTasks {
                guard (holders[task] ?? commit.list) == commit.list else {
                    throw .taskTaken(id: task)
                }
                holders[task] = commit.list
            }
        case .deleted:
            if list.title != nil, let binned = commit.binned {
                list.deleted = BinEntry(
                    id: commit.list, title: binned.title, count: binned.count,
                    version: commit.version, deletedAt: commit.at)
            } else {
                list.snapshots = []
            }
            list.title = nil
            holders = holders.filter { $0.value != commit.list }
        }
        lists[commit.list] = list
    }

    func load(_ id: String) -> LoadedList? {
        guard let list = lists[id] else { return nil }
        guard list.title != nil, let newest = list.snapshots.last else {
            return LoadedList(version: list.version, content: nil)
        }
        return LoadedList(
            version: list.version,
            content: .init(
                snapshot: newest.bytes, snapshotVersion: newest.version,
                changes: changes(of: id, after: newest.version) ?? []))
    }

    /// A list in the bin with its content.
    func deletedList(_ id: String) -> BinEntry? {
        guard var deleted = lists[id]?.deleted, let newest = lists[id]?.snapshots.last else {
            return nil
        }
        deleted.content = .init(
            snapshot: newest.bytes, snapshotVersion: newest.version,
            changes: (changes(of: id, after: newest.version) ?? []).dropLast())
        return deleted
    }

    func snapshots(of id: String) -> [StoredSnapshot] { lists[id]?.snapshots ?? [] }

    func changes(of id: String, after version: Int) -> [StoredChange]? {
        guard let list = lists[id] else { return [] }
        guard version >= max(list.forgotten, list.hidden) else { return nil }
        let all = list.changes.enumerated().map {
            StoredChange(version: $0.offset + 1, bytes: $0.element.bytes)
        }
        return Array(all.dropFirst(version))
    }

    /// The time of each list's oldest retained change.
    var oldestTimes: [Int64] {
        lists.sorted { $0.key < $1.key }.compactMap {
            $0.value.changes.dropFirst($0.value.forgotten).first?.at
        }
    }

    /// A whole pass.
    mutating func pruneChanges(
        olderThan time: Int64, orFrom future: Int64 = .max, keepingLast: Int
    ) {
        lists = lists.mapValues { list in
            var list = list
            while list.forgotten < list.version - 1, list.forgotten < list.version - keepingLast,
                list.forgotten < list.snapshots.first?.version ?? .max,
                list.changes[list.forgotten].at < time || list.changes[list.forgotten].at >= future
            {
                list.forgotten += 1
            }
            return list
        }
    }

    var summaries: [IndexedList] {
        lists.compactMap { id, list in
            list.title.map {
                IndexedList(
                    id: id, title: $0, version: list.version, count: list.count, open: list.open)
            }
        }.sorted { $0.id < $1.id }
    }

    /// Compares all that a store returns about the lists and tasks of `RandomCommits`.
    ///
    /// - Returns: the first difference, or nil.
    func difference(from store: any ListStore) throws -> String? {
        for id in RandomCommits.lists {
            if try store.load(id) != load(id) {
                let found = try store.load(id)?.version ?? 0
                return "\(id) at version \(found) instead of \(lists[id]?.version ?? 0)"
            }
            let half = (lists[id]?.version ?? 0) / 2
            let forgotten = max(lists[id]?.forgotten ?? 0, lists[id]?.hidden ?? 0)
            for version in [half, forgotten, forgotten - 1] where version >= 0 {
                let found = try store.changes(of: id, after: version, limit: .max)
                if found != changes(of: id, after: version) {
                    return "the changes of \(id) after version \(version)"
                }
            }
            if try store.snapshots(of: id) != snapshots(of: id) { return "the snapshots of \(id)" }
            if try store.deletedList(id, withContent: true) != deletedList(id) {
                return "\(id) in the bin"
            }
        }
        let found = try store.lists(containing: RandomCommits.tasks)
        for task in RandomCommits.tasks where found[task] != holders[task] {
            return "\(task) in \(found[task] ?? "no list") instead of \(holders[task] ?? "none")"
        }
        if try store.summaries(after: nil, limit: 100) != summaries { return "the summaries" }
        let bin = lists.values.compactMap(\.deleted).sorted { $0.id < $1.id }
        if try store.deletedLists(after: nil, limit: 100) != bin { return "the bin" }
        return nil
    }
}
