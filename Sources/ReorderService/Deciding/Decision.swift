import Foundation
import ReorderEngine
import ReorderJSON
import ReorderStore

/// What a write does.
struct Decision: Sendable {
    var result: WriteResult
    /// The next versions of the changed lists; empty if nothing changes. They are stored together.
    var commits: [ListCommit] = []
    /// Responses to store with the commits or, if there is none, by themselves.
    var responses: [StoredResponse] = []
    /// The rendered response, if it is one of `responses`.
    var rendered: [UInt8]?
    /// Whether it stores so much that it is appended by itself, if possible.
    var isLarge = false

    /// The tasks that no list had before, by their lists.
    var newTasks: [(list: String, tasks: [TaskID])] {
        Set(commits.map(\.list)).map { list in
            let moved = Set(commits.lazy.filter { $0.list != list }.flatMap(\.deletedTasks))
            let inserted = commits.lazy.filter { $0.list == list }.flatMap(\.insertedTasks)
            return (list, inserted.filter { !moved.contains($0) })
        }
    }
}

/// The change from one version of a list to the next.
struct Change {
    var operations: [ListOperation]
    /// The tasks that were inserted into the list and deleted from it.
    var inserted: [TaskID] = []
    var deleted: [TaskID] = []
    /// The number of tasks in the list, if the change deletes it.
    var countInDeletedList = 0
    /// The deleted list, if its content goes to the bin.
    var binned: ListCommit.Binned?
    /// Whether the change restores the list from the bin.
    var isRestored = false
    /// Whether the change creates or deletes the list.
    var kind: ChangeDocument.Kind?
    /// See `ChangeDocument.opID`.
    var opID: String?
    /// The other list, if tasks were moved to or from it.
    var transfer: ChangeDocument.Transfer?
    /// Responses to store with the change.
    var responses: [StoredResponse] = []

    var isReplacement: Bool {
        if operations.count == 1, case .replace = operations[0] { true } else { false }
    }
}

/// What a write does to its lists.
struct WriteEffects {
    /// The versions that the write has made already: those of a batch's steps.
    var commits: [ListCommit] = []
    /// The next version, if it has operations.
    var change: Change
    /// The change of the list that tasks move into, if it is another one.
    var otherChange: Change?
    var result = CommandResult.done
}

extension WriteEffects {
    init(_ applied: (Change, CommandResult)) {
        self.init(change: applied.0, result: applied.1)
    }
}

/// Answers what a decision asks while it is made.
protocol DecisionHost {
    /// Whether a worker makes the decision. Only then may it take long.
    var isWorker: Bool { get }

    /// Whether a snapshot may be made now that takes long, and may be a large append.
    var mayMakeLongSnapshot: Bool { get }

    /// Notes that the decision handles about this number of tasks.
    func work(on tasks: Int)

    /// Returns those of these new tasks that another list contains.
    ///
    /// - Parameter asksStore: whether a shared store is asked for all of them. Otherwise it refuses them when
    ///   they are stored, and only those that it has refused before are looked up.
    func taken(
        _ tasks: [TaskID], for list: String, asksStore: Bool
    ) throws(ServiceError) -> [TaskID]
}

/// Why a write was not decided. Its lists are unchanged.
enum Interruption: Error {
    case refused(ServiceError)
    /// The write handles so many tasks that a worker must decide it.
    case long(tasks: Int)
    /// The write may be large, and a later batch must decide it: its lists are not fresh.
    case later
    /// The list does not exist at this version, and the bin must be read.
    case needsBin(version: Int)
}

extension Decider {
    /// Makes a change the next version of its list.
    ///
    /// - Parameter before: the list before the change, if it keeps its last changes or may lose tasks.
    func commit(
        _ change: Change, of list: inout WorkingList, from before: ReorderableList?,
        _ request: WriteRequest, at time: Date, _ host: some DecisionHost
    ) -> ListCommit {
        list.version += 1
        if let before { list.steps?.append(change.operations, to: list.version, from: before) }
        let document = ChangeDocument(
            version: list.version, at: time, client: request.client, author: request.author,
            opID: change.opID, kind: change.kind, operations: change.operations,
            transfer: change.transfer)
        // What is deleted permanently leaves no title behind.
        let isPermanent = change.kind == .deleted && change.binned == nil
        let bytes = document.json(deletingFrom: isPermanent ? nil : before)
        list.bytesSinceSnapshot += bytes.count
        return ListCommit(
            list: list.id, version: list.version, at: document.milliseconds, change: bytes,
            snapshot: snapshotIfDue(after: change, of: &list, host),
            stateAfter: list.exists
                ? .exists(
                    title: list.list.settings.title, count: list.list.count,
                    open: list.list.openTopLevelCount)
                : .deleted,
            insertedTasks: change.inserted, deletedTasks: change.deleted,
            binned: change.binned, isRestored: change.isRestored)
    }

    /// Returns a snapshot if the changes since the last one are larger than that snapshot. So
    /// writing snapshots and replaying changes both cost amortized O(1) for each change.
    ///
    /// If the list is large, the next write makes the snapshot, because a worker then decides that
    /// write (`makesLongSnapshot`).
    private func snapshotIfDue(
        after change: Change, of list: inout WorkingList, _ host: some DecisionHost
    ) -> [UInt8]? {
        guard list.exists, change.isReplacement || list.isSnapshotDue else { return nil }
        guard
            change.isReplacement || !isLong(list.list)
                || host.isWorker && makesLongSnapshot(of: list, host)
        else { return nil }
        let snapshot = ListDocument.json(id: list.id, version: list.version, of: list.list)
        list.snapshotBytes = snapshot.count
        list.bytesSinceSnapshot = 0
        return snapshot
    }
}
