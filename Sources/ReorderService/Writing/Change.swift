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
    var responses: [StoredResponse] = []

    var isReplacement: Bool {
        if operations.count == 1, case .replace = operations[0] { true } else { false }
    }
}

extension ListService {
    /// The version that was just decided, as the committer takes it.
    func entry(
        for change: Change, by client: String?, on list: CachedList, at time: Date
    ) -> ListEntry {
        let document = ChangeDocument(
            version: list.state.version, at: time, client: client, operations: change.operations,
            transfer: change.transfer)
        let bytes = document.json()
        list.state.bytesSinceSnapshot += bytes.count
        let commit = ListCommit(
            list: list.id, version: list.state.version, at: document.milliseconds, change: bytes,
            snapshot: snapshotIfDue(after: change, of: list),
            outcome: list.state.exists
                ? .exists(title: list.state.list.settings.title, count: list.state.list.count)
                : .deleted,
            insertedTasks: change.inserted, deletedTasks: change.deleted)
        return ListEntry(commit: commit, list: list.cached, responses: change.responses)
    }

    /// Stores responses to what changed nothing. What they say must be durable already.
    func commit(_ responses: [StoredResponse]) -> CommitTicket {
        let entry = ResponsesEntry(responses)
        committer.enqueue(entry)
        commitAtOnce()
        return entry
    }

    /// A snapshot is due once the changes since the last one are as large as that one was, so that
    /// neither writing snapshots nor replaying changes costs more than O(1) a change.
    ///
    /// That of a large list waits for the next write, which is decided by a worker (`isLargeSnapshotDue`).
    private func snapshotIfDue(after change: Change, of list: CachedList) -> [UInt8]? {
        guard list.state.exists, change.isReplacement || list.state.isSnapshotDue else {
            return nil
        }
        guard change.isReplacement || list.isCopy || list.state.list.count <= Self.tasksOnLoop
        else { return nil }
        let snapshot = ListDocument.json(
            id: list.id, version: list.state.version, of: list.state.list)
        list.state.snapshotBytes = snapshot.count
        list.state.bytesSinceSnapshot = 0
        return snapshot
    }
}

extension CachedList.State {
    /// Whether the changes since the last snapshot are larger than that.
    var isSnapshotDue: Bool { bytesSinceSnapshot > max(snapshotBytes, Self.smallSnapshotBytes) }

    /// Whether a snapshot is due that takes too long to render on an event loop.
    var isLargeSnapshotDue: Bool { isSnapshotDue && list.count > ListService.tasksOnLoop }

    /// Below this a snapshot saves nothing worth writing it for.
    private static let smallSnapshotBytes = 16 << 10
}
