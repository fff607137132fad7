/// A thread of the committer. Commits that take long have one of their own, so that the commits of
/// other lists do not wait for them.
enum CommitLane: CaseIterable {
    case small, large

    var other: CommitLane { self == .small ? .large : .small }
}

/// One value for each lane.
struct PerLane<Value> {
    var small: Value
    var large: Value

    subscript(lane: CommitLane) -> Value {
        get { lane == .small ? small : large }
        set { if lane == .small { small = newValue } else { large = newValue } }
    }
}

extension PerLane: Sendable where Value: Sendable {}

/// What waits to be committed, and which lists are being committed.
///
/// A lane takes nothing of a list that the other lane commits, and nothing that waits behind an
/// entry of the same list: so the versions of a list become durable in their order.
struct CommitQueue {
    /// What one `append` takes.
    struct Work {
        var entries: [ListEntry] = []
        /// Which entries become durable together with the one before them, or not at all; few.
        var joined: [Int] = []
        var responses: [ResponsesEntry] = []

        var isEmpty: Bool { entries.isEmpty && responses.isEmpty }

        /// Only the entries that are wanted; of those that are joined both are, or neither.
        func keeping(_ isWanted: (Int) -> Bool) -> Work {
            var kept = Work(responses: responses)
            var joined = joined[...]
            for (index, entry) in entries.enumerated() {
                let isJoined = joined.first == index
                if isJoined { joined.removeFirst() }
                guard isWanted(index) else { continue }
                if isJoined { kept.joined.append(kept.entries.count) }
                kept.entries.append(entry)
            }
            return kept
        }

        /// Each entry alone, or the two that are joined.
        var units: [Range<Int>] {
            var joined = joined[...]
            var units: [Range<Int>] = []
            for index in entries.indices {
                if joined.first == index, let first = units.popLast() {
                    joined.removeFirst()
                    units.append(first.lowerBound..<index + 1)
                } else {
                    units.append(index..<index + 1)
                }
            }
            return units
        }
    }

    var work = Work()
    /// What each lane commits; nil for a lane that is idle.
    private var committing = PerLane<[ListEntry]?>(small: nil, large: nil)
    /// Whether a lane was woken and has not looked yet.
    private var isWoken = PerLane(small: false, large: false)
    var isStopping = false

    var hasStopped: Bool {
        isStopping && committing.small == nil && committing.large == nil && work.isEmpty
    }

    /// Whether the large lane completes the work that large commits have left.
    var isTidying = false

    /// Whether a large commit that is enqueued now has to wait.
    var isLargeLaneBusy: Bool { committing.large != nil || isTidying || hasLarge }

    /// Whether a large commit is in the queue.
    var hasLarge: Bool { work.entries.contains { $0.size == .large } }

    var listsBeingCommitted: Set<String> { lists(of: .small).union(lists(of: .large)) }

    private func lists(of lane: CommitLane) -> Set<String> {
        Set((committing[lane] ?? []).map(\.commit.list))
    }

    /// Whether to wake a lane: once for each time that it looks.
    mutating func isToBeWoken(_ lane: CommitLane) -> Bool {
        defer { isWoken[lane] = true }
        return !isWoken[lane]
    }

    /// Takes what a lane can commit now: the small lane everything that is small and the first
    /// medium entry, the large one the first large entry; with an entry the one that is joined to it.
    ///
    /// - Returns: nil if there is nothing, or the lane is busy.
    mutating func take(_ lane: CommitLane) -> Work? {
        isWoken[lane] = false
        guard committing[lane] == nil else { return nil }
        var taken: Work
        if lane == .small, committing.large == nil, work.entries.allSatisfy({ $0.size == .small }) {
            taken = work
            work = Work()
        } else {
            let chosen = entries(for: lane)
            taken = work.keeping(chosen.contains)
            work = work.keeping { !chosen.contains($0) }
            if lane == .small { work.responses = [] } else { taken.responses = [] }
        }
        guard !taken.isEmpty else { return nil }
        committing[lane] = taken.entries
        return taken
    }

    /// The large lane tidies after each commit.
    ///
    /// - Returns: what was committed. Release it without the lock, because that can take long.
    mutating func end(_ lane: CommitLane) -> [ListEntry]? {
        if lane == .large { isTidying = true }
        defer { committing[lane] = nil }
        return committing[lane]
    }

    private func entries(for lane: CommitLane) -> Set<Int> {
        var blocked = lists(of: lane.other)
        var chosen: Set<Int> = []
        var hasLong = false
        for unit in work.units {
            let entries = work.entries[unit]
            let isLong = entries.contains { $0.size != .small }
            let isLarge = entries.contains { $0.size == .large }
            if isLarge == (lane == .large), !(isLong && hasLong),
                entries.allSatisfy({ !blocked.contains($0.commit.list) })
            {
                chosen.formUnion(unit)
                hasLong = hasLong || isLong
            } else {
                blocked.formUnion(entries.map(\.commit.list))
            }
        }
        return chosen
    }
}
