import ReorderEngine
import ReorderJSON

/// Which content of a list a copy has.
struct ListPlace: Sendable, Equatable {
    var version: Int
    /// Which past of the server the version belongs to; `nil` for one that was never restored.
    var epoch: String?

    /// What the server takes to go on from here.
    var token: String { epoch.map { "\(version)-\($0)" } ?? "\(version)" }
}

/// A list as a client knows it: what the server said, what waits to be sent, and both together.
///
/// `displayed` is `base` with the pending intents done to it by the engine, each where it can be.
/// Whenever the base changes, they are done again: their anchors, not their positions, say what was
/// meant. Those that can't be done are passed over, and wait for the server's word.
struct ListModel: Sendable {
    /// The list at `version`, as the server has it.
    private(set) var base: ReorderableList
    var version: Int { place.version }
    var epoch: String? { place.epoch }
    private(set) var place: ListPlace
    /// In the order in which the person did them.
    private(set) var pending: [PendingOperation] = []
    private(set) var displayed: ReorderableList
    private(set) var batch: Batch?
    /// What leads from `base` to `displayed`.
    private var pendingOperations: [ListOperation] = []

    /// The first pending operations that are under way together.
    struct Batch: Sendable, Equatable {
        var count: Int
        /// Whether the change that they made is in `base`: then they are not done again.
        var isInBase = false
        /// What the server said to them; they stay until `base` is that far.
        var answer: BatchAnswer?
    }

    init(base: ReorderableList, at place: ListPlace) {
        self.base = base
        self.place = place
        displayed = base
    }

    // MARK: What the person does

    /// Does an intent on what is displayed.
    ///
    /// - Returns: the intent as it has to be kept and sent, with what it did, or `nil` where it
    ///   changes nothing. The list is as it was: `add` makes it so.
    func attempt(_ intent: Intent) throws(Intent.Failure) -> Attempt? {
        var list = displayed
        var named: [TaskID] = []
        let operations: [ListOperation]
        if case .move(let request) = intent {
            do {
                let outcome = try list.move(request)
                named = outcome.tasks
                operations = outcome.operations
            } catch {
                throw .refused(error)
            }
        } else {
            operations = try intent.perform(on: &list)
        }
        guard !operations.isEmpty else { return nil }
        return Attempt(
            intent: intent.anchored(in: list, named: named), operations: operations, list: list)
    }

    struct Attempt {
        let intent: Intent
        fileprivate let operations: [ListOperation]
        fileprivate let list: ReorderableList
    }

    /// Makes an attempt at the present state the next pending operation.
    mutating func add(_ attempt: Attempt, id: String) -> TouchedRows {
        pending.append(PendingOperation(id: id, intent: attempt.intent))
        displayed = attempt.list
        pendingOperations += attempt.operations
        return .operations(attempt.operations)
    }

    /// Adds an operation that a file kept.
    mutating func restore(_ operation: PendingOperation) {
        pending.append(operation)
        pendingOperations += (try? operation.intent.perform(on: &displayed)) ?? []
    }

    // MARK: What the server says

    /// Takes the next changes.
    ///
    /// Those that are known already are passed over.
    ///
    /// - Parameter client: the name that this client gives itself: a change of its own is the batch
    ///   that is under way.
    /// - Returns: those that were taken, the rows that they touch, and whether the document must be
    ///   fetched: a change is missing in between, or the list as it is can't take one.
    mutating func receive(_ changes: [ChangeDocument], client: String) -> Reception {
        let fresh = changes.drop { $0.version <= version }
        var touched: [ListOperation] = []
        var reception = Reception()
        for change in fresh {
            guard change.version == version + 1,
                (try? base.apply(change.operations)) != nil
            else {
                reception.needsDocument = true
                break
            }
            place.version = change.version
            touched += change.operations
            if change.client == client { batch?.isInBase = true }
            reception.taken.append(change)
        }
        if !reception.taken.isEmpty { reception.touched = rebase(over: touched) }
        return reception
    }

    struct Reception {
        var taken: [ChangeDocument] = []
        var touched = TouchedRows.operations([])
        var needsDocument = false
    }

    /// Takes the whole list anew.
    mutating func replaceBase(_ list: ReorderableList, at place: ListPlace) -> TouchedRows {
        if place.epoch != epoch {
            // The server was restored. What it answered before is in the list or lost, and the list
            // need not reach the version that was answered.
            batch?.isInBase = false
            batch?.answer?.version = place.version
        }
        base = list
        self.place = place
        _ = rebase(over: [])
        return .all
    }

    /// The first `count` pending operations go under way.
    mutating func begin(_ batch: Batch) -> TouchedRows {
        let wasInBase = self.batch?.isInBase ?? false
        self.batch = batch
        return batch.isInBase == wasInBase ? .operations([]) : rebase(over: [])
    }

    /// Takes the answer to the batch under way.
    mutating func receive(_ answer: BatchAnswer) { batch?.answer = answer }

    /// The batch under way, where it was answered and `base` is as far as the answer.
    var finishedBatch: (count: Int, answer: BatchAnswer)? {
        guard let batch, let answer = batch.answer, version >= answer.version else { return nil }
        return (batch.count, answer)
    }

    /// Drops the first pending operations.
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
        pendingOperations = []
        let done = batch.map { $0.isInBase ? $0.count : 0 } ?? 0
        for operation in pending.dropFirst(done) {
            pendingOperations += (try? operation.intent.perform(on: &displayed)) ?? []
        }
        touched.add(pendingOperations)
        return touched
    }
}
