import ReorderEngine
import ReorderJSON

/// A list as it is stored on the device: the server's list, and the operations of the person that are not in it yet.
struct ListCopy: Sendable {
    /// The server's list.
    private(set) var base: ReorderableList
    private(set) var syncPoint: SyncPoint
    /// In the order in which the person made them. Those that the server has answered stay until `base` has the version of their
    /// answer.
    private(set) var pending: [PendingOperation] = []
    /// The number of those without an answer.
    private(set) var waitingCount = 0

    init(base: ReorderableList, at syncPoint: SyncPoint) {
        self.base = base
        self.syncPoint = syncPoint
    }

    /// The operations without an answer. O(pending operations).
    var waiting: [PendingOperation] { pending.filter { $0.answeredAt == nil } }

    /// - Parameter operation: has no answer.
    mutating func add(_ operation: PendingOperation) {
        pending.append(operation)
        waitingCount += 1
    }

    // MARK: The server's list

    /// What has come of changes that arrived.
    struct Reception {
        /// The changes that were applied.
        var taken: [ChangeDocument] = []
        /// The document must be fetched, because a change is missing or can't be applied.
        var needsDocument = false
        /// The waiting operations that these changes have made.
        var made: [String] = []
    }

    /// Applies the next changes, and removes the operations that they have made. Known changes are skipped.
    mutating func receive(_ changes: [ChangeDocument]) -> Reception {
        var reception = Reception()
        for change in changes.drop(while: { $0.version <= syncPoint.version }) {
            base.changeStamp = change.stamp
            guard change.version == syncPoint.version + 1,
                (try? base.apply(change.operations)) != nil
            else {
                reception.needsDocument = true
                break
            }
            syncPoint.version = change.version
            reception.taken.append(change)
        }
        reception.made = removeSteps(Set(reception.taken.compactMap(\.opID)))
        removeReached()
        return reception
    }

    /// The number of operations that changes leave if they are those of the first steps, in order; nil for other changes.
    func pendingCount(afterOwn changes: [ChangeDocument]) -> Int? {
        var rest = pending[...]
        for change in changes.drop(while: { $0.version <= syncPoint.version }) {
            guard let first = rest.first, change.opID == first.id else { return nil }
            rest = rest.dropFirst(PendingOperation.stepLength(in: rest))
        }
        return rest.count
    }

    /// Replaces the list by a fetched one.
    ///
    /// - Returns: the number of operations that wait again: the server was restored, and has perhaps lost the changes of these answers.
    mutating func replaceBase(_ list: ReorderableList, at syncPoint: SyncPoint) -> Int {
        let isOther = syncPoint.epoch != self.syncPoint.epoch
        base = list
        self.syncPoint = syncPoint
        guard isOther else {
            removeReached()
            return 0
        }
        return forgetAnswers()
    }

    /// All operations wait again.
    mutating func forgetAnswers() -> Int {
        defer { waitingCount = pending.count }
        for index in pending.indices { pending[index].answeredAt = nil }
        return pending.count - waitingCount
    }

    /// Removes steps of which `base` has the changes. O(pending operations), unless all of them are the first ones.
    ///
    /// - Parameter firsts: the ids of the steps' first operations, also of other clients.
    /// - Returns: those of the removed operations that had no answer.
    private mutating func removeSteps(_ firsts: Set<String>) -> [String] {
        var (firsts, index) = (firsts, pending.startIndex)
        var kept: [PendingOperation] = []
        var waiting: [String] = []
        while index < pending.endIndex, !firsts.isEmpty {
            guard firsts.remove(pending[index].id) != nil else {
                kept.append(pending[index])
                index += 1
                continue
            }
            let end = index + PendingOperation.stepLength(in: pending[index...])
            waiting += pending[index..<end].lazy.filter { $0.answeredAt == nil }.map(\.id)
            index = end
        }
        guard kept.count < index else { return [] }
        pending.replaceSubrange(..<index, with: kept)
        waitingCount -= waiting.count
        return waiting
    }

    /// Removes the operations whose answers have a version that the list has reached.
    private mutating func removeReached() {
        guard waitingCount < pending.count else { return }
        let version = syncPoint.version
        removeAll { $0.answeredAt.map { $0 <= version } ?? false }
    }

    // MARK: Answers

    /// Operations have an answer: their changes are in the list from a version on.
    mutating func answer(_ versions: [String: Int]) {
        for index in pending.indices where pending[index].answeredAt == nil {
            guard let version = versions[pending[index].id] else { continue }
            pending[index].answeredAt = version
            waitingCount -= 1
        }
        removeReached()
    }

    /// Removes operations, for example because they were refused.
    mutating func remove(_ ids: Set<String>) {
        if !ids.isEmpty { removeAll { ids.contains($0.id) } }
    }

    private mutating func removeAll(where isGone: (PendingOperation) -> Bool) {
        pending.removeAll(where: isGone)
        waitingCount = pending.count { $0.answeredAt == nil }
    }

    /// Removes all operations without an answer.
    mutating func discardWaiting() { removeAll { $0.answeredAt == nil } }

    /// Removes the first operations. For files of earlier versions, which have no answers.
    mutating func removeFirst(_ count: Int) {
        pending.removeFirst(min(count, pending.count))
        waitingCount = pending.count
    }

    /// Makes a list the newest version, with all operations, for a list without a server.
    mutating func confirm(_ list: ReorderableList) {
        base = list
        syncPoint.version += 1
        pending = []
        waitingCount = 0
    }
}
