import ReorderEngine
import ReorderStore

/// A list of a batch.
///
/// Only the writer's thread uses it.
final class BatchList {
    /// The list after the batch's decisions.
    fileprivate var state: WorkingList
    /// Whether the list is not here: the current decision changes it in place, or it is held.
    fileprivate var isOut = false
    /// Whether the batch changes the list.
    fileprivate(set) var isChanged = false
    fileprivate var isPublished = false

    fileprivate init(_ state: WorkingList) { self.state = state }

    /// Takes the list out, so that nothing here refers to it.
    fileprivate func takeOut() -> WorkingList {
        var list = Self.none
        swap(&list, &state)
        isOut = true
        return list
    }

    func put(_ list: WorkingList) { (state, isOut) = (list, false) }

    private static let none = WorkingList(id: "")
}

extension WorkingLists {
    /// Takes lists out of their batch. Nothing else refers to those that the batch has changed, so the
    /// next change is made in place.
    init(taking places: [BatchList]) {
        self.init(list: places[0].takeOut(), other: places.count > 1 ? places[1].takeOut() : nil)
    }
}

/// The writes that become durable with one append: the only state that is not durable. If the append
/// fails, it is dropped, and nothing else has happened.
///
/// Only the writer's thread uses it.
final class WriterBatch {
    /// A write that has an outcome if the append succeeds.
    struct DecidedWrite {
        var write: PendingWrite
        var outcome: PendingWrite.Outcome
        /// The lists that the outcome depends on.
        var lists: [String]
        /// What it stores: places in `commits` and `responses`.
        var commits = 0..<0
        var responses = 0..<0
        /// Whether the outcome is the same if the append fails.
        var isOwn: Bool
    }

    /// What the batch knows about a shared store; nil for another store, which is asked when needed.
    let facts: SharedFacts?
    private var lists: [String: BatchList] = [:]
    private(set) var decided: [DecidedWrite] = []
    private(set) var commits: [ListCommit] = []
    private(set) var responses: [StoredResponse] = []
    /// The keys of these writes.
    private var decidedKeys: Set<StoredResponseKey> = []
    /// Responses that belong to no write.
    var probes: [StoredResponse] = []
    /// What this batch does to the index of tasks.
    private var holders: [TaskID: Holder] = [:]
    private var deletedLists: Set<String> = []
    /// The responses that this batch stores, with the lists that they depend on.
    private var newResponses: [StoredResponseKey: (response: StoredResponse, lists: [String])] = [:]
    /// The lists whose changes in this batch have answered questions of the current decision.
    private var questioned: [String] = []
    /// Whether a response that this batch stores has answered one.
    private var hasRepeated = false
    /// The number of tasks that its decisions have handled.
    private var workCount = 0
    /// The number of inserted and deleted tasks.
    private var taskCount = 0
    private var byteCount = 0

    private struct Holder {
        /// The list that has the task; nil if it was deleted.
        var list: String?
        /// The list whose change in this batch is the reason.
        var changed: String
    }

    init(_ facts: SharedFacts? = nil) { self.facts = facts }

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

    func work(on tasks: Int) { workCount += tasks }

    // MARK: Lists

    func list(_ id: String) -> BatchList? { lists[id].flatMap { $0.isOut ? nil : $0 } }

    /// Adds a list, or replaces its state.
    @discardableResult func put(_ list: WorkingList) -> BatchList {
        if let known = lists[list.id] {
            known.put(list)
            return known
        }
        let new = BatchList(list)
        lists[list.id] = new
        return new
    }

    private func isChanged(_ list: String) -> Bool { lists[list]?.isChanged ?? false }

    /// The new states of the lists of these commits.
    func snapshots(of commits: some Sequence<ListCommit>) -> [Snapshot] {
        commits.compactMap { commit in
            guard let list = lists[commit.list], !list.isPublished, !list.isOut else {
                return nil
            }
            list.isPublished = true
            return Snapshot(list.state)
        }
    }

    // MARK: Decisions

    /// Call this before each decision.
    func beginDecision() { (questioned, hasRepeated) = ([], false) }

    /// Adds a write that has an outcome.
    ///
    /// - Parameters:
    ///   - ids: the lists that the outcome depends on.
    ///   - commits: the new versions of lists, which are in the batch already.
    func add(
        _ write: PendingWrite, _ outcome: PendingWrite.Outcome, on ids: [String] = [],
        storing commits: [ListCommit] = [], _ responses: [StoredResponse] = []
    ) {
        let lists = ids + questioned
        let isOwn =
            commits.isEmpty && responses.isEmpty && !hasRepeated
            && !lists.contains(where: isChanged)
        let (firstCommit, firstResponse) = (self.commits.count, self.responses.count)
        for commit in commits { add(commit) }
        for response in responses {
            self.responses.append(response)
            newResponses[response.key] = (response, lists)
            byteCount += response.bytes.count
        }
        if write.hasKey, let key = write.request.key { decidedKeys.insert(key.responseKey) }
        decided.append(
            DecidedWrite(
                write: write, outcome: outcome, lists: lists,
                commits: firstCommit..<self.commits.count,
                responses: firstResponse..<self.responses.count, isOwn: isOwn))
    }

    private func add(_ commit: ListCommit) {
        commits.append(commit)
        lists[commit.list]?.isChanged = true
        if commit.stateAfter == .deleted {
            deletedLists.insert(commit.list)
            for (task, holder) in holders where holder.list == commit.list {
                holders[task] = Holder(list: nil, changed: commit.list)
            }
        }
        for task in commit.deletedTasks { holders[task] = Holder(list: nil, changed: commit.list) }
        for task in commit.insertedTasks {
            holders[task] = Holder(list: commit.list, changed: commit.list)
        }
        taskCount += commit.insertedTasks.count + commit.deletedTasks.count
        byteCount += commit.change.count + (commit.snapshot?.count ?? 0)
    }

    // MARK: Facts

    /// The list that has a task.
    ///
    /// - Parameter stored: the task's list in the store.
    func holder(of task: TaskID, stored: String?) -> String? {
        if let holder = holders[task] {
            questioned.append(holder.changed)
            return holder.list
        }
        guard let stored, deletedLists.contains(stored) else { return stored }
        questioned.append(stored)
        return nil
    }

    /// The tasks that another list has.
    ///
    /// - Parameter stored: the tasks' lists in the store.
    func taken(_ tasks: [TaskID], for list: String, stored: [TaskID: String]) -> [TaskID] {
        tasks.filter { task in
            holder(of: task, stored: stored[task]).map { $0 != list } ?? false
        }
    }

    /// Whether a write with this key has an outcome in this batch. A repeated one is decided in a
    /// later batch, which replays the outcome or, if the append fails, decides the write again.
    func hasDecided(_ key: StoredResponseKey) -> Bool { decidedKeys.contains(key) }

    /// A response that this batch stores.
    func response(to key: StoredResponseKey) -> StoredResponse? {
        guard let new = newResponses[key] else { return nil }
        questioned += new.lists
        hasRepeated = true
        return new.response
    }

    // MARK: Groups

    /// The writes that stand or fall together in a shared store: those that depend on the same lists.
    /// Each group has the indices of its writes in `decided`, in order.
    var groups: [[Int]] {
        // Union-find: following the parents of a write leads to the first write of its group.
        var first: [String: Int] = [:]
        var parents = Array(decided.indices)
        func root(_ index: Int) -> Int {
            var index = index
            while parents[index] != index { index = parents[index] }
            return index
        }
        for (index, write) in decided.enumerated() {
            for list in write.lists {
                guard let earlier = first[list] else {
                    first[list] = index
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
        return groups
    }
}

/// Answers decisions that the writer makes: by what is durable and by what its batch has decided.
struct BatchHost: DecisionHost {
    let durable: DurableLists
    let batch: WriterBatch
    let mayMakeLongSnapshot: Bool

    var isWorker: Bool { false }

    func work(on tasks: Int) { batch.work(on: tasks) }

    func taken(
        _ tasks: [TaskID], for list: String, asksStore: Bool
    ) throws(ServiceError) -> [TaskID] {
        let stored = try durable.holders(ofNew: tasks, asksStore: asksStore)
        return batch.taken(tasks, for: list, stored: stored)
    }
}
