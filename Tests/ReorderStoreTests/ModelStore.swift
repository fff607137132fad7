import ReorderStore

/// The contract said once more, as plainly as can be: every append works on a copy.
struct ModelStore {
    struct List {
        var version = 0
        var changes: [[UInt8]] = []
        var title: String?
        var count = 0
        var snapshot: [UInt8] = []
        var snapshotVersion = 0
    }

    private(set) var lists: [String: List] = [:]
    private(set) var holders: [String: String] = [:]

    mutating func append(_ commits: [ListCommit]) throws(StoreError) {
        var after = self
        for commit in commits {
            try after.apply(commit)
        }
        self = after
    }

    private mutating func apply(_ commit: ListCommit) throws(StoreError) {
        var list = lists[commit.list] ?? List()
        guard commit.version == list.version + 1 else { throw .conflict(list: commit.list) }
        list.version += 1
        list.changes.append(commit.change)
        switch commit.outcome {
        case .exists(let title, let count):
            guard list.title != nil || commit.snapshot != nil else {
                throw .conflict(list: commit.list)
            }
            list.title = title
            list.count = count
            if let snapshot = commit.snapshot {
                list.snapshot = snapshot
                list.snapshotVersion = commit.version
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
            list.title = nil
            holders = holders.filter { $0.value != commit.list }
        }
        lists[commit.list] = list
    }

    func load(_ id: String) -> StoredList? {
        guard let list = lists[id] else { return nil }
        guard list.title != nil else { return StoredList(version: list.version, content: nil) }
        return StoredList(
            version: list.version,
            content: .init(
                snapshot: list.snapshot, snapshotVersion: list.snapshotVersion,
                changes: changes(of: id, after: list.snapshotVersion)))
    }

    func changes(of id: String, after version: Int) -> [StoredChange] {
        let all = (lists[id]?.changes ?? []).enumerated().map {
            StoredChange(version: $0.offset + 1, bytes: $0.element)
        }
        return Array(all.dropFirst(version))
    }

    var summaries: [ListSummary] {
        lists.compactMap { id, list in
            list.title.map {
                ListSummary(id: id, title: $0, version: list.version, count: list.count)
            }
        }.sorted { $0.id < $1.id }
    }
}

/// SplitMix64: the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
