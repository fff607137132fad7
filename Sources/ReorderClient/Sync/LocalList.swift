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

/// A list on this device: the copy that is stored, and the list to display.
///
/// `displayed` is `base` with the pending operations applied by the engine, step by step. Whenever the base or the queue
/// changes, they are applied again. Their anchors, not positions, identify the places. A step that can't be applied as a whole is
/// skipped until the server responds to it.
///
/// The times of tasks come from the server's changes. Pending operations leave times as they are.
package struct LocalList: Sendable {
    private(set) var copy: ListCopy
    package private(set) var displayed: ReorderableList
    /// The operations that lead from `base` to `displayed`.
    private var pendingOperations: [ListOperation] = []
    /// The number of pending operations when they were last applied again.
    private var rebasedCount = 0
    /// The person's own changes that were received since then.
    private var ownChanges = TouchedRows.operations([])
    /// With at most this number of pending operations, they are applied again after each change.
    var alwaysRebased = 256

    /// The server's list at `version`.
    package var base: ReorderableList { copy.base }
    package var version: Int { syncPoint.version }
    package var epoch: String? { syncPoint.epoch }
    var syncPoint: SyncPoint { copy.syncPoint }
    /// The operations that are not in `base` yet, in the order in which the user made them.
    package var pending: [PendingOperation] { copy.pending }
    /// Those that the server has not answered. O(pending operations).
    var waiting: [PendingOperation] { copy.waiting }
    /// Their number.
    var waitingCount: Int { copy.waitingCount }

    init(_ copy: ListCopy) {
        self.copy = copy
        displayed = copy.base
        _ = rebase(over: [])
    }

    init(base: ReorderableList, at syncPoint: SyncPoint) {
        self.init(ListCopy(base: base, at: syncPoint))
    }

    // MARK: The user's operations

    /// A step that was applied to a copy of the displayed list.
    struct Applied {
        let pending: [PendingOperation]
        let operations: [ListOperation]
        /// The list after it.
        fileprivate let list: ReorderableList
    }

    /// Applies the commands of a step to a copy of the displayed list: all of them, or none. `add` puts the result into effect.
    ///
    /// - Parameters:
    ///   - id: the id of the step.
    ///   - folds: the folds of the person, for a move by rows; nil: rows are counted as stored.
    /// - Returns: the operations to store and send; none if the commands change nothing.
    func applying(
        _ commands: [Command], id: String, withFolds folds: [TaskID: Bool]? = nil
    ) throws(Command.Failure) -> Applied {
        var named: [Command] = []
        for command in commands { named.append(try namingTasks(of: command, withFolds: folds)) }
        var list = displayed
        var made: [Command] = []
        var operations: [ListOperation] = []
        try Self.apply(named, to: &list) { command, outcome, list in
            guard !outcome.operations.isEmpty else { return }
            made.append(command.anchored(in: list, outcome))
            operations += outcome.operations
        }
        return Applied(
            pending: PendingOperation.step(id, of: made), operations: operations, list: list)
    }

    /// A move by rows as a move of the tasks that the person sees there, between the neighbors that the
    /// person sees. The list counts rows as stored, so it can't get these rows.
    private func namingTasks(
        of command: Command, withFolds folds: [TaskID: Bool]?
    ) throws(Command.Failure) -> Command {
        guard let folds, case .move(var request) = command, request.countsRows else {
            return command
        }
        request.folds = folds
        var list = displayed
        let outcome = try Command.move(request).apply(to: &list)
        return command.anchored(in: list, outcome)
    }

    /// Applies the commands of a step one after another: all of them, or none. If there are several, there must be room for their
    /// tasks only at the end: two full sections can exchange tasks.
    ///
    /// - Parameter made: called after each command with the list of then.
    private static func apply(
        _ step: some Collection<Command>, to list: inout ReorderableList,
        _ made: (Command, Command.Outcome, ReorderableList) -> Void
    ) throws(Command.Failure) {
        guard step.count > 1 else {
            for command in step { made(command, try command.apply(to: &list), list) }
            return
        }
        let former = list
        var crowded: [(operations: [ListOperation], refusal: Refusal)] = []
        do throws(Command.Failure) {
            for command in step {
                let outcome: Command.Outcome
                do throws(Command.Failure) {
                    outcome = try command.apply(to: &list)
                } catch .refused(let refusal)
                    where refusal == .sectionFull || refusal == .parentFull
                {
                    list.checksLimits = false
                    defer { list.checksLimits = true }
                    outcome = try command.apply(to: &list)
                    crowded.append((outcome.operations, refusal))
                }
                made(command, outcome, list)
            }
            for one in crowded where !list.hasRoom(after: one.operations, since: former) {
                throw .refused(one.refusal)
            }
        } catch {
            list = former
            throw error
        }
    }

    /// Adds a step that was applied to the current state to the pending operations.
    mutating func add(_ applied: Applied) -> TouchedRows {
        for operation in applied.pending { copy.add(operation) }
        displayed = applied.list
        pendingOperations += applied.operations
        return .operations(applied.operations)
    }

    /// Adds steps that waited elsewhere. If the rules refuse one now, the server will.
    ///
    /// - Returns: what has changed.
    mutating func restore(_ operations: [PendingOperation]) -> [ListOperation] {
        for operation in operations { copy.add(operation) }
        let made = apply(operations)
        pendingOperations += made
        return made
    }

    /// Makes the pending operations part of the list, for a list without a server.
    mutating func confirm() {
        copy.confirm(displayed)
        pendingOperations = []
    }

    // MARK: The server's changes and answers

    /// Applies the next changes. Known changes are skipped.
    ///
    /// If the changes are those of the first pending operations, the displayed list has them already, except for their times. If many
    /// operations follow, the times wait: while a long queue is sent, it is applied again each time that half of it has arrived.
    mutating func receive(_ changes: [ChangeDocument]) -> (ListCopy.Reception, TouchedRows) {
        let rest = copy.pendingCount(afterOwn: changes)
        let reception = copy.receive(changes)
        guard !reception.taken.isEmpty else { return (reception, .operations([])) }
        let operations = reception.taken.flatMap(\.operations)
        if let rest, rest > max(alwaysRebased, rebasedCount / 2), rest == copy.pending.count {
            ownChanges.add(operations)
            return (reception, .operations([]))
        }
        return (reception, rebase(over: operations))
    }

    /// Replaces the base by a fetched list.
    ///
    /// - Returns: the number of operations that wait again.
    mutating func replaceBase(_ list: ReorderableList, at syncPoint: SyncPoint) -> Int {
        let again = copy.replaceBase(list, at: syncPoint)
        _ = rebase(over: [])
        return again
    }

    /// Changes the queue, and not the server's list.
    mutating func updatePending(_ body: (inout ListCopy) -> Void) -> TouchedRows {
        let count = copy.pending.count
        body(&copy)
        return copy.pending.count == count ? .operations([]) : rebase(over: [])
    }

    /// Computes `displayed`. O(pending operations · log n).
    private mutating func rebase(over operations: [ListOperation]) -> TouchedRows {
        var touched = TouchedRows.operations([])
        touched.add(pendingOperations)
        touched.add(operations)
        touched.add(ownChanges)
        ownChanges = .operations([])
        rebasedCount = copy.pending.count
        displayed = copy.base
        displayed.changeStamp = nil
        pendingOperations = apply(copy.pending)
        touched.add(pendingOperations)
        return touched
    }

    /// Applies steps to `displayed`, each of them as a whole or not at all.
    private mutating func apply(_ operations: [PendingOperation]) -> [ListOperation] {
        var made: [ListOperation] = []
        for step in PendingOperation.steps(of: operations) {
            let count = made.count
            do {
                try Self.apply(step.lazy.map(\.command), to: &displayed) { _, outcome, _ in
                    made += outcome.operations
                }
            } catch {
                made.removeLast(made.count - count)
            }
        }
        return made
    }
}
