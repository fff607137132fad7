import Foundation
import ReorderEngine
import ReorderJSON
import ReorderStore

extension Decider {
    /// Makes a change the next version of its list.
    ///
    /// - Parameter before: the list before the change, if it keeps its last changes or may lose tasks.
    func commit(
        _ change: Change, of list: inout WorkingList, from before: ReorderableList?,
        _ request: WriteRequest, at time: Date, _ host: some DecisionHost
    ) -> DecidedCommit {
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
        let commit = ListCommit(
            list: list.id, version: list.version, at: document.milliseconds, change: bytes,
            snapshot: snapshotIfDue(after: change, of: &list, host),
            outcome: list.exists
                ? .exists(
                    title: list.list.settings.title, count: list.list.count,
                    open: list.list.openTopLevelCount)
                : .deleted,
            insertedTasks: change.inserted, deletedTasks: change.deleted,
            binned: change.binned, isRestored: change.isRestored)
        return DecidedCommit(commit: commit, countInDeletedList: change.countInDeletedList)
    }

    /// Returns a snapshot if the changes since the last one are larger than that snapshot. So
    /// writing snapshots and replaying changes both cost amortized O(1) for each change.
    ///
    /// If the list is large, the next write makes the snapshot, because a worker then decides that
    /// write (`makesLargeSnapshot`).
    private func snapshotIfDue(
        after change: Change, of list: inout WorkingList, _ host: some DecisionHost
    ) -> [UInt8]? {
        guard list.exists, change.isReplacement || list.isSnapshotDue else { return nil }
        guard
            change.isReplacement || !isLong(list.list)
                || host.isWorker && makesLargeSnapshot(of: list, host)
        else { return nil }
        let snapshot = ListDocument.json(id: list.id, version: list.version, of: list.list)
        list.snapshotBytes = snapshot.count
        list.bytesSinceSnapshot = 0
        return snapshot
    }
}
