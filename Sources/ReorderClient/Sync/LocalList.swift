import ReorderEngine
import ReorderJSON

/// The version and epoch of a list's copy.
struct SyncPoint: Sendable, Equatable {
    var version: Int
    /// The epoch of the store: a new store and a restored one have another. nil if the copy is from
    /// an earlier version of the server, whose stores began without an epoch.
    var epoch: String?

    /// The token that makes the server continue after this version.
    var token: String { epoch.map { "\(version)-\($0)" } ?? "\(version)" }
}

/// A client's copy of a list: the server's state, the pending operations, and the result of both.
///
/// `displayed` is `base` with the pending intents applied by the engine. Whenever the base changes,
/// the intents are applied again. Their anchors, not positions, identify the places. Intents that
/// can't be applied are skipped until the server responds to them.
///
/// The times of tasks come from the server's changes. Pending operations leave times as they are.
package struct LocalList: Sendable {
    /// The server's list at `version`.
    package private(set) var base: ReorderableList
    package var version: Int { syncPoint.version }
    package var epoch: String? { syncPoint.epoch }
    private(set) var syncPoint: SyncPoint
    /// In the order in which the user made them.
    package private(set) var pending: [PendingOperation] = []
    package private(set) var displayed: ReorderableList
    private(set) var batch: Batch?
    /// The operations that lead from `base` to `displayed`.
    private var pendingOperations: [ListOperation] = []

    /// The first pending operations, which are sent together.
    struct Batch: Sendable, Equatable {
        var count: Int
        /// Whether `base` includes the operations' change. If so, they are not applied again.
        var isInBase = false
        /// The server's response; the operations stay pending until `base` reaches its version.
        var response: BatchResponse?
    }

    init(base: ReorderableList, at syncPoint: SyncPoint) {
        self.base = base
        self.syncPoint = syncPoint
        displayed = base
    }

    // MARK: The user's operations

    /// Applies an intent to a copy of the displayed list. `add` puts the result into effect.
    ///
    /// - Parameter folds: the folds of the person, for a move by rows; nil: rows are counted as stored.
    /// - Returns: the intent to store and send, with its operations; nil if it changes nothing.
    func applying(
        _ intent: Intent, withFolds folds: [TaskID: Bool]? = nil
    ) throws(Intent.Failure) -> AppliedIntent? {
        if let folds, let named = try namingTasks(of: intent, withFolds: folds) {
            return try applying(named)
        }
        var list = displayed
        return try Self.apply(intent, to: &list).map {
            AppliedIntent(intent: $0, operations: $1, list: list)
        }
    }

    /// - Returns: nil if the intent changes nothing.
    private static func apply(
        _ intent: Intent, to list: inout ReorderableList
    ) throws(Intent.Failure) -> (Intent, [ListOperation])? {
        var named: [TaskID] = []
        let operations: [ListOperation]
        if case .move(let request) = intent {
            do {
                let outcome = try list.move(request)
                named = outcome.tasks.map(\.task.id)
                operations = outcome.operations
            } catch {
                throw .refused(error)
            }
        } else {
            operations = try intent.apply(to: &list)
        }
        guard !operations.isEmpty else { return nil }
        return (intent.anchored(in: list, named: named), operations)
    }

    /// Applies the intents of a step one after another to one copy of the displayed list: all of them, or none.
    ///
    /// - Parameter intents: they name tasks, not rows.
    /// - Returns: those that change something. The list of each is the list after all of them.
    func applying(step intents: [Intent]) throws(Intent.Failure) -> [AppliedIntent] {
        var list = displayed
        var made: [(Intent, [ListOperation])] = []
        for intent in intents {
            if let applied = try Self.apply(intent, to: &list) { made.append(applied) }
        }
        return made.map { AppliedIntent(intent: $0, operations: $1, list: list) }
    }

    /// A move by rows as a move of the tasks that the person sees there, between the neighbors that the
    /// person sees; nil for other intents. The list counts rows as stored, so it can't get these rows.
    private func namingTasks(
        of intent: Intent, withFolds folds: [TaskID: Bool]
    ) throws(Intent.Failure) -> Intent? {
        guard case .move(var request) = intent, request.countsRows else { return nil }
        request.folds = folds
        var list = displayed
        do {
            let moved = try list.move(request).tasks.map(\.task.id)
            return intent.anchored(in: list, named: moved)
        } catch {
            throw .refused(error)
        }
    }

    struct AppliedIntent {
        let intent: Intent
        let operations: [ListOperation]
        fileprivate let list: ReorderableList
    }

    /// Adds an intent that was applied to the current state as the next pending operation.
    mutating func add(_ applied: AppliedIntent, id: String) -> TouchedRows {
        pending.append(PendingOperation(id: id, intent: applied.intent))
        displayed = applied.list
        pendingOperations += applied.operations
        return .operations(applied.operations)
    }

    /// Adds an operation from the outbox. If the rules refuse it now, the server will.
    mutating func restore(_ operation: PendingOperation) -> TouchedRows {
        pending.append(operation)
        let operations = (try? operation.intent.apply(to: &displayed)) ?? []
        pendingOperations += operations
        return .operations(operations)
    }

    /// Makes the pending operations part of the list, for a list without a server.
    mutating func confirm() {
        base = displayed
        syncPoint.version += 1
        pending = []
        pendingOperations = []
    }

    // MARK: The server's changes and responses

    /// Applies the next changes. Known changes are skipped.
    ///
    /// - Parameter client: this client's id. A change with this id belongs to the current batch.
    /// - Returns: the applied changes, the affected rows, and whether the document must be fetched
    ///   because a change is missing or can't be applied.
    mutating func receive(_ changes: [ChangeDocument], client: String) -> ReceivedChanges {
        let fresh = changes.drop { $0.version <= version }
        var touched: [ListOperation] = []
        var reception = ReceivedChanges()
        for change in fresh {
            base.changeStamp = change.stamp
            guard change.version == version + 1,
                (try? base.apply(change.operations)) != nil
            else {
                reception.needsDocument = true
                break
            }
            syncPoint.version = change.version
            touched += change.operations
            if change.client == client { batch?.isInBase = true }
            reception.taken.append(change)
        }
        if !reception.taken.isEmpty { reception.touched = rebase(over: touched) }
        return reception
    }

    struct ReceivedChanges {
        var taken: [ChangeDocument] = []
        var touched = TouchedRows.operations([])
        var needsDocument = false
    }

    /// Replaces the base with a fetched list.
    mutating func replaceBase(_ list: ReorderableList, at syncPoint: SyncPoint) -> TouchedRows {
        if syncPoint.epoch != epoch {
            // The server was restored. The results of the batch are in the new list, or they are
            // lost. The list may never reach the version of the response.
            batch?.isInBase = false
            batch?.response?.version = syncPoint.version
        }
        base = list
        self.syncPoint = syncPoint
        _ = rebase(over: [])
        return .all
    }

    /// Marks the first `count` pending operations as sent.
    mutating func begin(_ batch: Batch) -> TouchedRows {
        let wasInBase = self.batch?.isInBase ?? false
        self.batch = batch
        return batch.isInBase == wasInBase ? .operations([]) : rebase(over: [])
    }

    /// Stores the response to the current batch.
    mutating func receive(_ response: BatchResponse) { batch?.response = response }

    /// The current batch, if it has a response and `base` has reached its version.
    var finishedBatch: (count: Int, response: BatchResponse)? {
        guard let batch, let response = batch.response, version >= response.version else {
            return nil
        }
        return (batch.count, response)
    }

    /// Removes the first pending operations.
    mutating func settle(_ count: Int) -> TouchedRows {
        pending.removeFirst(min(count, pending.count))
        batch = nil
        return rebase(over: [])
    }

    private mutating func rebase(over operations: [ListOperation]) -> TouchedRows {
        var touched = TouchedRows.operations([])
        touched.add(pendingOperations)
        touched.add(operations)
        displayed = base
        displayed.changeStamp = nil
        pendingOperations = []
        let done = batch.map { $0.isInBase ? $0.count : 0 } ?? 0
        for operation in pending.dropFirst(done) {
            pendingOperations += (try? operation.intent.apply(to: &displayed)) ?? []
        }
        touched.add(pendingOperations)
        return touched
    }
}
