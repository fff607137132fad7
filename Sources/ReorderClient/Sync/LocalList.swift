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

    /// Applies a command to a copy of the displayed list. `add` puts the result into effect.
    ///
    /// - Parameter folds: the folds of the person, for a move by rows; nil: rows are counted as stored.
    /// - Returns: the command to store and send, with its operations; nil if it changes nothing.
    func applying(
        _ command: Command, withFolds folds: [TaskID: Bool]? = nil
    ) throws(Command.Failure) -> AppliedCommands? {
        if let folds, let named = try namingTasks(of: command, withFolds: folds) {
            return try applying(named)
        }
        var list = displayed
        return try Self.apply(command, to: &list).map { AppliedCommands(made: [$0], list: list) }
    }

    /// - Returns: nil if the command changes nothing.
    private static func apply(
        _ command: Command, to list: inout ReorderableList
    ) throws(Command.Failure) -> AppliedCommands.Made? {
        let outcome = try command.apply(to: &list)
        guard !outcome.operations.isEmpty else { return nil }
        return (command.anchored(in: list, outcome), outcome.operations)
    }

    /// Applies the commands of a step one after another to one copy of the displayed list: all of them, or none.
    ///
    /// - Parameter commands: they name tasks, not rows.
    /// - Returns: those that change something.
    func applying(step commands: [Command]) throws(Command.Failure) -> AppliedCommands {
        var list = displayed
        var made: [AppliedCommands.Made] = []
        var crowded: [Crowded] = []
        for command in commands {
            if let applied = try Self.apply(command, to: &list, &crowded) { made.append(applied) }
        }
        try Self.check(crowded, in: list, since: displayed)
        return AppliedCommands(made: made, list: list)
    }

    /// The operations of a command of a step that found no room for its tasks. Later commands can make room: two full sections
    /// exchange tasks.
    private typealias Crowded = (operations: [ListOperation], refusal: Refusal)

    /// Applies a command of a step, also if there is no room yet.
    private static func apply(
        _ command: Command, to list: inout ReorderableList, _ crowded: inout [Crowded]
    ) throws(Command.Failure) -> AppliedCommands.Made? {
        do {
            return try apply(command, to: &list)
        } catch {
            guard case .refused(let refusal) = error,
                refusal == .sectionFull || refusal == .parentFull
            else { throw error }
            list.checksLimits = false
            defer { list.checksLimits = true }
            let applied = try apply(command, to: &list)
            crowded.append((applied?.operations ?? [], refusal))
            return applied
        }
    }

    private static func check(
        _ crowded: [Crowded], in list: ReorderableList, since former: ReorderableList
    ) throws(Command.Failure) {
        for one in crowded where !list.hasRoom(after: one.operations, since: former) {
            throw .refused(one.refusal)
        }
    }

    /// A move by rows as a move of the tasks that the person sees there, between the neighbors that the
    /// person sees; nil for other commands. The list counts rows as stored, so it can't get these rows.
    private func namingTasks(
        of command: Command, withFolds folds: [TaskID: Bool]
    ) throws(Command.Failure) -> Command? {
        guard case .move(var request) = command, request.countsRows else { return nil }
        request.folds = folds
        var list = displayed
        let outcome = try Command.move(request).apply(to: &list)
        return command.anchored(in: list, outcome)
    }

    struct AppliedCommands {
        typealias Made = (command: Command, operations: [ListOperation])

        let made: [Made]
        /// The list after all of them.
        fileprivate let list: ReorderableList

        var operations: [ListOperation] { made.flatMap(\.operations) }

        /// - Parameter id: returns the id of the operation with an index.
        func pending(_ id: (Int) -> String) -> [PendingOperation] {
            made.enumerated().map { PendingOperation(id: id($0), command: $1.command) }
        }
    }

    /// Adds commands that were applied to the current state as the next pending operations.
    mutating func add(_ applied: AppliedCommands, as pending: [PendingOperation]) -> TouchedRows {
        for operation in pending { copy.add(operation) }
        displayed = applied.list
        let operations = applied.operations
        pendingOperations += operations
        return .operations(operations)
    }

    /// Adds an operation from the outbox. If the rules refuse it now, the server will.
    mutating func restore(_ operation: PendingOperation) -> TouchedRows {
        copy.add(operation)
        let operations = (try? operation.command.apply(to: &displayed).operations) ?? []
        pendingOperations += operations
        return .operations(operations)
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
        pendingOperations.removeAll(keepingCapacity: true)
        var rest = copy.pending[...]
        while !rest.isEmpty {
            let length = PendingOperation.stepLength(in: rest)
            apply(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        touched.add(pendingOperations)
        return touched
    }

    /// Applies a step to `displayed`, as a whole or not at all.
    private mutating func apply(_ step: ArraySlice<PendingOperation>) {
        let former = step.count > 1 ? displayed : nil
        let count = pendingOperations.count
        do {
            var crowded: [Crowded] = []
            for operation in step {
                guard former != nil else {
                    pendingOperations += try operation.command.apply(to: &displayed).operations
                    continue
                }
                pendingOperations +=
                    try Self.apply(operation.command, to: &displayed, &crowded)?.1 ?? []
            }
            if let former { try Self.check(crowded, in: displayed, since: former) }
        } catch {
            if let former { displayed = former }
            pendingOperations.removeLast(pendingOperations.count - count)
        }
    }
}
