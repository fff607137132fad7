import ReorderEngine
import ReorderStore

/// A list of a batch.
///
/// Only the writer's thread uses it.
final class BatchList {
    let id: String
    /// The list after the batch's decisions; nil if it is not here: the current decision changes it in
    /// place, it is held, or the batch does not need its content.
    fileprivate var state: WorkingList?
    /// Whether the batch changes the list.
    fileprivate(set) var isChanged = false

    fileprivate init(_ id: String) { self.id = id }

    func put(_ list: WorkingList) { state = list }
}

/// The writes that become durable with one append: the only state that is not durable. If the append
/// fails, it is dropped, and nothing else has happened.
///
/// Only the writer's thread uses it. For speed, overlapping accesses to what most writes change are not
/// detected at run time.
final class WriterBatch: DecisionHost {
    /// A write whose outcome holds if the append succeeds.
    struct DecidedWrite {
        var write: PendingWrite
        /// The lists that the outcome depends on.
        var lists: [BatchList]
        /// What it stores: places in `commits` and `responses`.
        var commits: Range<Int>
        var responses: Range<Int>
        /// Whether the outcome is the same if the append fails.
        var isOwn: Bool
    }

    private let durable: DurableLists
    private let largeAppends: LargeAppends
    /// What was read from a shared store; nil for another store, which is asked when needed.
    private let facts: SharedFacts?
    @exclusivity(unchecked) private var lists: [String: BatchList] = [:]
    @exclusivity(unchecked) private(set) var decided: [DecidedWrite] = []
    @exclusivity(unchecked) private(set) var commits: [ListCommit] = []
    /// The lists that these commits change.
    @exclusivity(unchecked) private var changedLists: [BatchList] = []
    @exclusivity(unchecked) private(set) var responses: [StoredResponse] = []
    /// The keys of these writes.
    private var decidedKeys: Set<StoredResponseKey> = []
    /// Responses that belong to no write.
    var probes: [StoredResponse] = []
    /// What this batch does to the index of tasks.
    private var holders: [TaskID: Holder] = [:]
    private var deletedLists: Set<String> = []
    /// The responses that this batch stores, with the lists that they depend on.
    private var newResponses: [StoredResponseKey: (response: StoredResponse, lists: [BatchList])] =
        [:]
    /// The lists whose changes in this batch have answered questions of the current decision.
    private var questioned: [BatchList] = []
    /// Whether a response that this batch stores has answered one.
    private var hasRepeated = false
    /// The number of tasks that its decisions have handled.
    private var workCount = 0
    /// The number of inserted and deleted tasks.
    @exclusivity(unchecked) private var taskCount = 0
    @exclusivity(unchecked) private var byteCount = 0

    private struct Holder {
        /// The list that has the task; nil if it was deleted.
        var list: String?
        /// The list whose change in this batch is the reason.
        var changed: BatchList
    }

    /// - Parameter writeCount: the number of writes to reserve memory for.
    init(
        _ durable: DurableLists, _ largeAppends: LargeAppends, _ facts: SharedFacts? = nil,
        writeCount: Int = 0
    ) {
        self.durable = durable
        self.largeAppends = largeAppends
        self.facts = facts
        let count = min(writeCount, Self.maximumWrites)
        lists.reserveCapacity(count)
        decided.reserveCapacity(count)
        commits.reserveCapacity(count)
        changedLists.reserveCapacity(count)
    }

    /// Whether another decision fits. So the decisions take about ten milliseconds at most, and the
    /// append a few dozen.
    var hasRoom: Bool {
        decided.count < Self.maximumWrites && workCount <= Self.maximumWork
            && taskCount <= Self.maximumTasks && byteCount <= Self.maximumBytes
    }

    static let maximumWrites = 1_024
    private static let maximumWork = 5_000
    private static let maximumTasks = 1_000
    private static let maximumBytes = 1 << 20

    // MARK: Lists

    enum Lookup {
        /// In the batch.
        case found(BatchList)
        case mustLoad
        /// The list is newer than the facts of the batch.
        case later
    }

    /// Takes a published list into the batch.
    ///
    /// - Parameter request: the request that needs it.
    func find(_ id: String, for request: WriteRequest) -> Lookup {
        let found = self.list(id)
        if found.state != nil { return .found(found) }
        let state = facts?.states[id]
        let snapshot =
            facts == nil
            ? durable.published.find(id) : state.flatMap { durable.current(id, $0) }
        guard let snapshot else { return .mustLoad }
        // A newer state is as good if nothing else was read with it.
        if let state, snapshot.version != state.version,
            request.lists.other != nil || request.key != nil || !request.operationKeys.isEmpty
        {
            return .later
        }
        durable.use.hits.add()
        var list = snapshot.list
        if list.steps == nil, snapshot.wantsSteps.load(ordering: .relaxed) {
            list.steps = RecentSteps(from: list.version)
        }
        found.put(list)
        return .found(found)
    }

    /// Adds a list whose content can't be read, without its content.
    func addUnreadable(_ id: String) throws(ServiceError) -> BatchList {
        var list = WorkingList(id: id)
        if let facts {
            list.version = facts.states[id]?.version ?? 0
            list.exists = facts.states[id]?.stored?.exists ?? false
        } else if let head = try durable.head(of: id) {
            (list.version, list.exists) = (head.version, head.exists)
        }
        list.isUnreadable = list.exists
        let unreadable = self.list(id)
        unreadable.put(list)
        return unreadable
    }

    /// Takes lists out for a decision. Nothing else refers to those that the batch has changed, so the next
    /// change is made in place.
    func takeOut(_ lists: [BatchList]) -> WorkingLists {
        WorkingLists(
            list: lists[0].state.take() ?? WorkingList(id: lists[0].id),
            other: lists.count > 1 ? lists[1].state.take() : nil,
            isFresh: !hasRepeated && !lists.contains(where: \.isChanged))
    }

    /// Puts lists back that were taken out.
    func put(_ working: WorkingLists, into lists: [BatchList]) {
        lists[0].put(working.list)
        if let other = working.other { lists[1].put(other) }
    }

    /// The batch's list with this id. It has no state until it is put.
    func list(_ id: String) -> BatchList {
        // With one look-up, also if it is new.
        func kept(_ list: inout BatchList) -> BatchList { list }
        return kept(&lists[id, default: BatchList(id)])
    }

    /// The new states of the lists of these commits. A shared store can refuse some of the batch's commits.
    func snapshots(of commits: [ListCommit]) -> [Snapshot] {
        let ids = commits.count == self.commits.count ? nil : Set(commits.map(\.list))
        return changedLists.compactMap { list in
            ids?.contains(list.id) ?? true ? list.state.map { Snapshot($0) } : nil
        }
    }

    // MARK: Decisions

    /// Call this before each decision.
    func beginDecision() { (questioned, hasRepeated) = ([], false) }

    /// Adds a write that has an outcome.
    ///
    /// - Parameters:
    ///   - lists: the lists that the outcome depends on.
    ///   - commits: the new versions of lists, which are in the batch already.
    func add(
        _ write: PendingWrite, _ outcome: PendingWrite.Outcome, on lists: [BatchList] = [],
        storing commits: [ListCommit] = [], _ responses: [StoredResponse] = []
    ) {
        let lists = questioned.isEmpty ? lists : lists + questioned
        let isOwn =
            commits.isEmpty && responses.isEmpty && !hasRepeated
            && !lists.contains(where: \.isChanged)
        let (firstCommit, firstResponse) = (self.commits.count, self.responses.count)
        for commit in commits {
            add(commit, of: lists.first { $0.id == commit.list } ?? list(commit.list))
        }
        for response in responses {
            self.responses.append(response)
            newResponses[response.key] = (response, lists)
            byteCount += response.bytes.count
        }
        if write.hasKey, let key = write.request.key { decidedKeys.insert(key.responseKey) }
        write.outcome = outcome
        decided.append(
            DecidedWrite(
                write: write, lists: lists, commits: firstCommit..<self.commits.count,
                responses: firstResponse..<self.responses.count, isOwn: isOwn))
    }

    private func add(_ commit: ListCommit, of list: BatchList) {
        commits.append(commit)
        if !list.isChanged { changedLists.append(list) }
        list.isChanged = true
        if commit.stateAfter == .deleted {
            deletedLists.insert(commit.list)
            for (task, holder) in holders where holder.list == commit.list {
                holders[task] = Holder(list: nil, changed: list)
            }
        }
        for task in commit.deletedTasks { holders[task] = Holder(list: nil, changed: list) }
        for task in commit.insertedTasks {
            holders[task] = Holder(list: commit.list, changed: list)
        }
        taskCount += commit.taskCount
        byteCount += commit.byteCount
    }

    // MARK: Facts

    /// Whether everything that a write needs was read.
    func covers(_ write: PendingWrite) -> Bool { facts?.covers(write) ?? true }

    /// The list that has a task.
    func holder(of task: TaskID) throws(ServiceError) -> String? {
        let stored =
            if let facts { facts.holder(of: task) } else { try durable.holders(of: [task])[task] }
        return holder(of: task, stored: stored)
    }

    /// - Parameter stored: the task's list in the store.
    private func holder(of task: TaskID, stored: String?) -> String? {
        if let holder = holders[task] {
            questioned.append(holder.changed)
            return holder.list
        }
        guard let stored, deletedLists.contains(stored) else { return stored }
        questioned.append(list(stored))
        return nil
    }

    /// Whether a write with this key has an outcome in this batch. A repeated one is decided in a
    /// later batch, which replays the outcome or, if the append fails, decides the write again.
    func hasDecided(_ key: StoredResponseKey) -> Bool { decidedKeys.contains(key) }

    /// The responses to these keys.
    func responses(
        to keys: [StoredResponseKey]
    ) throws(ServiceError) -> [StoredResponseKey: StoredResponse] {
        var responses = facts == nil ? try durable.responses(to: keys) : [:]
        for key in keys {
            if let new = newResponses[key] {
                questioned += new.lists
                hasRepeated = true
                responses[key] = new.response
            } else if let stored = facts?.response(to: key) {
                responses[key] = stored
            }
        }
        return responses
    }

    // MARK: The host of decisions

    var isWorker: Bool { false }

    var mayMakeLongSnapshot: Bool { !largeAppends.isBusy }

    func work(on tasks: Int) { workCount += tasks }

    func taken(
        _ tasks: [TaskID], for list: String, asksStore: Bool
    ) throws(ServiceError) -> [TaskID] {
        let stored = try durable.holders(ofNew: tasks, asksStore: asksStore)
        return tasks.filter { task in
            holder(of: task, stored: stored[task]).map { $0 != list } ?? false
        }
    }

    // MARK: Groups

    /// The writes that stand or fall together in a shared store: those that depend on the same lists.
    /// Each group has the indices of its writes in `decided`, in order, and what they store.
    var groups: [(writes: [Int], content: CommitGroup)] {
        // Union-find: following the parents of a write leads to the first write of its group.
        var first: [ObjectIdentifier: Int] = [:]
        var parents = Array(decided.indices)
        func root(_ index: Int) -> Int {
            var index = index
            while parents[index] != index { index = parents[index] }
            return index
        }
        for (index, write) in decided.enumerated() {
            for list in write.lists {
                guard let earlier = first[ObjectIdentifier(list)] else {
                    first[ObjectIdentifier(list)] = index
                    continue
                }
                let (one, other) = (root(earlier), root(index))
                parents[max(one, other)] = min(one, other)
            }
        }
        var places: [Int: Int] = [:]
        var groups: [[Int]] = []
        for index in decided.indices {
            let root = root(index)
            if let place = places[root] {
                groups[place].append(index)
            } else {
                places[root] = groups.count
                groups.append([index])
            }
        }
        return groups.map { writes in
            let content = CommitGroup(
                commits: writes.flatMap { commits[decided[$0].commits] },
                responses: writes.flatMap { responses[decided[$0].responses] })
            return (writes, content)
        }
    }
}
