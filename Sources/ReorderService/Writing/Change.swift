import Foundation
import ReorderEngine
import ReorderJSON
import ReorderStore

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
    /// Whether the change creates or deletes the list.
    var kind: ChangeDocument.Kind?
    /// The other list, if tasks were moved to or from it.
    var transfer: ChangeDocument.Transfer?
    /// Responses to store with the change.
    var responses: [StoredResponse] = []

    var isReplacement: Bool {
        if operations.count == 1, case .replace = operations[0] { true } else { false }
    }
}

extension ListService {
    /// Creates the committer's entry for the version that was just decided.
    func entry(
        for change: Change, by client: String?, on list: CachedList, at time: Date
    ) -> QueuedCommit {
        let document = ChangeDocument(
            version: list.state.version, at: time, client: client, kind: change.kind,
            operations: change.operations, transfer: change.transfer)
        let bytes = document.json()
        list.state.bytesSinceSnapshot += bytes.count
        let commit = ListCommit(
            list: list.id, version: list.state.version, at: document.milliseconds, change: bytes,
            snapshot: snapshotIfDue(after: change, of: list),
            outcome: list.state.exists
                ? .exists(
                    title: list.state.list.settings.title, count: list.state.list.count,
                    open: list.state.list.openTopLevelCount)
                : .deleted,
            insertedTasks: change.inserted, deletedTasks: change.deleted,
            binned: change.binned)
        return QueuedCommit(
            commit: commit, list: list.cached, responses: change.responses,
            size: size(of: commit, deleting: change.countInDeletedList))
    }

    private func size(of commit: ListCommit, deleting count: Int) -> QueuedCommit.Size {
        if store.isImmediate { return .small }
        if limits.largeCommit.isExceeded(by: commit, deleting: count) { return .large }
        return Self.mediumCommit.isExceeded(by: commit, deleting: count) ? .medium : .small
    }

    /// Commits up to this size take about a millisecond.
    private static let mediumCommit = LargeCommit(tasks: 100, bytes: 64 << 10)

    /// Stores responses to requests that changed nothing. The state that they show must be durable
    /// already.
    func commit(_ responses: [StoredResponse]) -> CommitTicket {
        let entry = QueuedResponses(responses: responses)
        committer.enqueue(entry)
        commitAtOnce()
        return entry.ticket
    }

    /// Returns a snapshot if the changes since the last one are larger than that snapshot. So
    /// writing snapshots and replaying changes both cost amortized O(1) for each change.
    ///
    /// If the list is large, the next write makes the snapshot, because a worker then decides that
    /// write (`makesLargeSnapshot`).
    private func snapshotIfDue(after change: Change, of list: CachedList) -> [UInt8]? {
        guard list.state.exists, change.isReplacement || list.state.isSnapshotDue else {
            return nil
        }
        guard
            change.isReplacement || list.state.list.entryCount <= limits.tasksOnLoop
                || list.isCopy && makesLargeSnapshot(of: list)
        else { return nil }
        let snapshot = ListDocument.json(
            id: list.id, version: list.state.version, of: list.state.list)
        list.state.snapshotBytes = snapshot.count
        list.state.bytesSinceSnapshot = 0
        return snapshot
    }

    /// Whether the next write to a list makes a snapshot that is too large to render on an event
    /// loop. While another large commit is waiting or running, no such snapshot is made.
    func makesLargeSnapshot(of list: CachedList) -> Bool {
        list.state.isSnapshotDue && list.state.list.entryCount > limits.tasksOnLoop
            && !committer.isLargeLaneBusy
    }
}

extension CachedList.State {
    /// Whether the changes since the last snapshot are larger than that snapshot.
    var isSnapshotDue: Bool { bytesSinceSnapshot > max(snapshotBytes, Self.smallSnapshotBytes) }

    /// For smaller changes, a snapshot saves too little.
    private static let smallSnapshotBytes = 16 << 10
}
