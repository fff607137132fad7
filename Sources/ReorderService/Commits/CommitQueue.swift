/// A thread of the committer. Large commits have their own thread, so that the commits of other
/// lists do not wait for them.
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

/// The work that waits to be committed, and the lists that are being committed.
///
/// A lane skips an entry if the other lane is committing the same list, or if the lane has skipped
/// an earlier entry of the same list. So the versions of a list become durable in their order.
struct CommitQueue {
    /// The work for one `append`.
    struct Work {
        var entries: [QueuedCommit] = []
        /// The indices of joined entries. A joined entry and the entry before it become durable
        /// together, or not at all. There are few.
        var joined: [Int] = []
        var responses: [QueuedResponses] = []

        var isEmpty: Bool { entries.isEmpty && responses.isEmpty }

        /// The work with only the wanted entries. Of two joined entries, both or none must be
        /// wanted.
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

        /// The ranges of entries that must be taken together: two joined entries, or one entry.
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
    /// What each lane is committing; nil for an idle lane.
    private var committing = PerLane<[QueuedCommit]?>(small: nil, large: nil)
    /// Whether a lane was woken and has not called `take` yet.
    private var isWoken = PerLane(small: false, large: false)
    var isStopping = false

    var hasStopped: Bool {
        isStopping && committing.small == nil && committing.large == nil && work.isEmpty
    }

    /// Whether the large lane is completing the work that large commits have left.
    var isTidying = false

    /// Whether a large commit that is enqueued now has to wait.
    var isLargeLaneBusy: Bool { committing.large != nil || isTidying || hasLarge }

    /// Whether a large commit is in the queue.
    var hasLarge: Bool { work.entries.contains { $0.size == .large } }

    var listsBeingCommitted: Set<String> { lists(of: .small).union(lists(of: .large)) }

    private func lists(of lane: CommitLane) -> Set<String> {
        Set((committing[lane] ?? []).map(\.commit.list))
    }

    /// Notes that a lane is woken.
    ///
    /// - Returns: whether the caller must wake it. False if it was woken already and has not called
    ///   `take` since.
    mutating func markWoken(_ lane: CommitLane) -> Bool {
        defer { isWoken[lane] = true }
        return !isWoken[lane]
    }

    /// Takes the work that a lane can commit now. The small lane takes all responses, all small
    /// entries and the first medium entry. The large lane takes the first large entry. Joined
    /// entries are taken together, by the lane of the larger one.
    ///
    /// - Returns: nil if the lane is busy or has nothing to commit.
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

    /// Called when a lane has committed. The large lane then tidies.
    mutating func end(_ lane: CommitLane) {
        if lane == .large { isTidying = true }
        committing[lane] = nil
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
