import Foundation
import ReorderEngine
import ReorderJSON
import ReorderStore

/// What leads from one version of a list to the next.
struct Change {
    var operations: [ListOperation]
    /// Tasks that came into the list, and that went.
    var inserted: [TaskID] = []
    var deleted: [TaskID] = []
    /// The other list, where tasks went there or came from there.
    var transfer: ChangeDocument.Transfer?
    /// What is to be stored with it.
    var answers: [StoredAnswer] = []

    var isReplacement: Bool {
        if operations.count == 1, case .replace = operations[0] { true } else { false }
    }
}

extension ListService {
    /// The version that was just decided, as the committer takes it.
    func entry(
        for change: Change, by client: String?, on list: LoadedList,
        _ state: inout LoadedList.State
    ) -> Committer.Entry {
        let document = ChangeDocument(
            version: state.version, at: clock(), client: client, operations: change.operations,
            transfer: change.transfer)
        let bytes = document.json()
        state.bytesSinceSnapshot += bytes.count
        let commit = ListCommit(
            list: list.id, version: state.version, at: document.milliseconds, change: bytes,
            snapshot: snapshotIfDue(after: change, of: list, &state),
            outcome: state.exists
                ? .exists(title: state.list.settings.title, count: state.list.count) : .deleted,
            insertedTasks: change.inserted, deletedTasks: change.deleted)
        return Committer.Entry(commit: commit, list: list, answers: change.answers)
    }

    /// Stores answers to what changed nothing. What they tell of must be durable already.
    ///
    /// - Parameter completion: called once, on whichever thread commits.
    func commitAlone(
        _ answers: [StoredAnswer], _ completion: @escaping @Sendable (_ areDurable: Bool) -> Void
    ) {
        committer.enqueue(answers, completion)
        commitAtOnce()
    }

    /// A snapshot is due once the changes since the last one are as large as that one was, so that
    /// neither writing snapshots nor replaying changes costs more than O(1) a change.
    ///
    /// That of a large list waits for the next write, which is decided by a worker (`isLargeSnapshotDue`).
    private func snapshotIfDue(
        after change: Change, of list: LoadedList, _ state: inout LoadedList.State
    ) -> [UInt8]? {
        guard state.exists, change.isReplacement || state.isSnapshotDue else { return nil }
        guard
            change.isReplacement || state.isWorkersCopy || state.list.count <= Self.tasksOnLoop
        else { return nil }
        let snapshot = ListDocument.json(id: list.id, version: state.version, of: state.list)
        state.snapshotBytes = snapshot.count
        state.bytesSinceSnapshot = 0
        return snapshot
    }
}

extension LoadedList.State {
    /// Whether the changes since the last snapshot are larger than that.
    var isSnapshotDue: Bool { bytesSinceSnapshot > max(snapshotBytes, Self.smallSnapshotBytes) }

    /// Whether a snapshot is due that takes too long to render on an event loop.
    var isLargeSnapshotDue: Bool { isSnapshotDue && list.count > ListService.tasksOnLoop }

    /// Below this a snapshot saves nothing worth writing it for.
    private static let smallSnapshotBytes = 16 << 10
}
