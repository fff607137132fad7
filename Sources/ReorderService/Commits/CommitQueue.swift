/// A thread of the committer. Commits that take long have one of their own, so that the commits of
/// other lists do not wait for them.
enum CommitLane: CaseIterable {
    case small, large

    var other: CommitLane { self == .small ? .large : .small }
}

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
    /// The lists of what each lane commits; no entry for a lane that is idle.
    private(set) var committing: [CommitLane: Set<String>] = [:]
    /// Lanes that were woken and have not looked yet.
    private var isWoken: Set<CommitLane> = []
    var isStopping = false

    var hasStopped: Bool { isStopping && committing.isEmpty && work.isEmpty }

    /// Whether the large lane completes the work that large commits have left.
    var isTidying = false

    /// Whether a large commit that is enqueued now has to wait.
    var isLargeLaneBusy: Bool { committing[.large] != nil || isTidying || hasLarge }

    /// Whether a large commit is in the queue.
    var hasLarge: Bool { work.entries.contains { $0.size == .large } }

    var listsBeingCommitted: Set<String> {
        committing.values.reduce(into: []) { $0.formUnion($1) }
    }

    /// Whether to wake a lane: once for each time that it looks.
    mutating func isToBeWoken(_ lane: CommitLane) -> Bool { isWoken.insert(lane).inserted }

    /// Takes what a lane can commit now: the small lane everything that is small and the first
    /// medium entry, the large one the first large entry; with an entry the one that is joined to it.
    ///
    /// - Returns: nil if there is nothing, or the lane is busy.
    mutating func take(_ lane: CommitLane) -> Work? {
        isWoken.remove(lane)
        guard committing[lane] == nil else { return nil }
        let taken: Work
        if lane == .small, committing.isEmpty, work.entries.allSatisfy({ $0.size == .small }) {
            taken = work
            work = Work()
        } else {
            let chosen = entries(for: lane)
            taken = work.keeping(chosen.contains)
            work = work.keeping { !chosen.contains($0) }
            if lane == .small { work.responses = [] }
        }
        var result = taken
        if lane == .large { result.responses = [] }
        guard !result.isEmpty else { return nil }
        committing[lane] = Set(result.entries.map(\.commit.list))
        return result
    }

    /// The large lane tidies after each commit.
    mutating func ended(_ lane: CommitLane) {
        committing[lane] = nil
        if lane == .large { isTidying = true }
    }

    private func entries(for lane: CommitLane) -> Set<Int> {
        var blocked = committing[lane.other] ?? []
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
