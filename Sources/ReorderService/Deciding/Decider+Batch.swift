import Foundation
import ReorderEngine
import ReorderJSON
import ReorderStore

extension Decider {
    /// The maximum number of tasks in the response to a batch. Without a limit, a small request
    /// could return very many rows.
    static let maximumBatchTasks = 10_000
    /// The maximum size of the titles and `data` of these tasks.
    static let maximumBatchBytes = 16 << 20

    /// Applies the commands of a batch in order. Each step becomes a version of the list; the commands
    /// of a batch without steps become one change.
    ///
    /// - Throws: if the batch is atomic, the error of the first command that failed. The list is
    ///   unchanged if this throws.
    func apply(
        _ batch: Batch, of request: WriteRequest, to list: inout WorkingList,
        _ facts: DecisionFacts?,
        at time: Date, _ host: some DecisionHost, _ renderer: some WriteRenderer
    ) throws(Interruption) -> WriteEffects {
        let before = list
        do throws(Interruption) {
            var progress = BatchProgress(facts)
            var commits: [ListCommit] = []
            var total = Change(operations: [])
            for part in batch.parts {
                // A refused command leaves the list unchanged, so most changes of one need no copy.
                let isKept = list.steps != nil || batch.commands[part].contains(where: \.mayDelete)
                let former = part.count > 1 || isKept ? list.list : nil
                var change = try apply(part, of: batch, to: &list, &progress, host, renderer)
                guard !change.operations.isEmpty else { continue }
                guard case .steps = batch.form else {
                    total.add(change)
                    continue
                }
                if let former, part.count > 1 { change = change.net(from: former, to: list.list) }
                change.opID = batch.keys?[part.lowerBound]?.id
                let known = isKept ? former : nil
                commits.append(commit(change, of: &list, from: known, request, at: time, host))
            }
            if commits.isEmpty { total = total.net(from: before.list, to: list.list) }
            if case .atomic = batch.form { total.opID = batch.keys?.first??.id }
            total.responses = progress.operationResults?.storedResponses ?? []
            return WriteEffects(
                commits: commits, change: total, result: .batch(progress.results))
        } catch {
            list = before
            throw error
        }
    }

    /// Applies commands as one change, or throws the error of the first one that failed, and leaves the
    /// list unchanged.
    func apply(
        _ commands: [Command], to list: inout WorkingList, _ host: some DecisionHost,
        _ renderer: some WriteRenderer
    ) throws(Interruption) -> Change {
        let before = list.list
        var progress = BatchProgress(nil)
        do throws(Interruption) {
            return try apply(
                commands.indices, of: Batch(commands, .atomic), to: &list, &progress, host, renderer
            ).net(from: before, to: list.list)
        } catch {
            list.list = before
            throw error
        }
    }

    /// Applies commands of a batch completely or not at all.
    ///
    /// - Returns: what they change; nothing if one of them is refused.
    /// - Throws: the refusal, if the batch is atomic.
    private func apply(
        _ part: Range<Int>, of batch: Batch, to list: inout WorkingList,
        _ progress: inout BatchProgress, _ host: some DecisionHost, _ renderer: some WriteRenderer
    ) throws(Interruption) -> Change {
        let former = part.count > 1 ? list.list : nil
        let checkpoint = progress.checkpoint
        var change = Change(operations: [])
        var crowded = CrowdedCommands()
        for index in part {
            let known = progress.known(index, version: list.version)
            var result =
                if let known { known } else {
                    try apply(batch.commands[index], to: &list, &change, host)
                }
            if known == nil, former != nil, case .failure(let refusal) = result, refusal.isForRoom {
                let count = change.operations.count
                list.list.checksLimits = false
                defer { list.list.checksLimits = true }
                result = try apply(batch.commands[index], to: &list, &change, host)
                crowded.add(index, Array(change.operations[count...]), refusal)
            }
            guard case .failure(let refusal) = result else {
                try progress.add(result, isKnown: known != nil, renderer)
                continue
            }
            try refuse(
                part, at: index, refusal, of: batch, &list, former, &progress, checkpoint, renderer)
            return Change(operations: [])
        }
        if let former, let (index, refusal) = crowded.first(in: list.list, since: former) {
            try refuse(
                part, at: index, refusal, of: batch, &list, former, &progress, checkpoint, renderer)
            return Change(operations: [])
        }
        return change
    }

    /// Refuses commands of a batch, because one of them is refused.
    private func refuse(
        _ part: Range<Int>, at index: Int, _ refusal: ServiceError, of batch: Batch,
        _ list: inout WorkingList, _ former: ReorderableList?, _ progress: inout BatchProgress,
        _ checkpoint: BatchProgress.Checkpoint, _ renderer: some WriteRenderer
    ) throws(Interruption) {
        var refusal = refusal
        if let former {
            list.list = former
            // Their current state, because nothing of the part is applied.
            refusal.named = refusal.named.current(in: former)
        }
        if case .atomic = batch.form { throw .refused(.command(index: index, refusal)) }
        progress.reset(to: checkpoint)
        try progress.refuse(part, at: index, refusal, renderer)
    }

    /// Applies a command, and adds its change to another one.
    private func apply(
        _ command: Command, to list: inout WorkingList, _ change: inout Change,
        _ host: some DecisionHost
    ) throws(Interruption) -> Result<CommandResult, ServiceError> {
        do throws(Interruption) {
            let (made, result) = try apply(command, to: &list, host)
            change.add(made)
            return .success(result)
        } catch {
            guard case .refused(let error) = error else { throw error }
            return .failure(error)
        }
    }
}

/// The commands of a step that found no room for their tasks. Later commands of the step can make room: two
/// full sections exchange tasks.
private struct CrowdedCommands {
    private var commands: [(index: Int, operations: [ListOperation], refusal: ServiceError)] = []

    mutating func add(_ index: Int, _ operations: [ListOperation], _ refusal: ServiceError) {
        commands.append((index, operations, refusal))
    }

    /// The first command for which there is no room at the end of the step.
    func first(
        in list: ReorderableList, since former: ReorderableList
    ) -> (index: Int, refusal: ServiceError)? {
        commands.first { !list.hasRoom(after: $0.operations, since: former) }.map {
            ($0.index, $0.refusal)
        }
    }
}

/// What the commands of a batch have done so far.
private struct BatchProgress {
    private(set) var results: [Result<CommandResult, ServiceError>] = []
    private let refusedMoves: [Int: ServiceError]
    private(set) var operationResults: OperationResults?
    /// The number of tasks in the results.
    private var taskCount = 0
    /// The bytes of their titles and `data`.
    private var taskBytes = 0

    init(_ facts: DecisionFacts?) {
        refusedMoves = facts?.refusedMoves ?? [:]
        operationResults = facts?.operationResults
    }

    /// The result of a command that is known before the command is applied.
    func known(_ index: Int, version: Int) -> Result<CommandResult, ServiceError>? {
        operationResults?.result(of: index, version: version)
            ?? refusedMoves[index].map { .failure($0) }
    }

    struct Checkpoint {
        fileprivate var (results, stored, taskCount, taskBytes) = (0, 0, 0, 0)
    }

    /// The present state, to which `reset` returns.
    var checkpoint: Checkpoint {
        Checkpoint(
            results: results.count, stored: operationResults?.storedResponses.count ?? 0,
            taskCount: taskCount, taskBytes: taskBytes)
    }

    mutating func reset(to checkpoint: Checkpoint) {
        results.removeLast(results.count - checkpoint.results)
        operationResults?.forget(after: checkpoint.stored)
        (taskCount, taskBytes) = (checkpoint.taskCount, checkpoint.taskBytes)
    }

    /// Adds the result of the next command.
    ///
    /// - Parameter isKnown: whether it is the stored result of an earlier batch.
    /// - Throws: if the response is too large.
    mutating func add(
        _ result: Result<CommandResult, ServiceError>, isKnown: Bool, _ renderer: some WriteRenderer
    ) throws(Interruption) {
        let index = results.count
        results.append(result)
        taskCount += result.taskCount
        taskBytes += result.taskBytes
        guard taskCount <= Decider.maximumBatchTasks, taskBytes <= Decider.maximumBatchBytes else {
            throw .refused(
                .command(index: index, .responseTooLarge(limit: Decider.maximumBatchTasks)))
        }
        if !isKnown, operationResults?.stores(result, of: index) == true {
            operationResults?.note(result, of: index, renderer)
        }
    }

    /// Adds the refusal of some commands. Only the result of the faulty one has its tasks: otherwise a
    /// small request could return them very often.
    mutating func refuse(
        _ part: Range<Int>, at faulty: Int, _ refusal: ServiceError, _ renderer: some WriteRenderer
    ) throws(Interruption) {
        for index in part {
            if let known = operationResults?.replayed(index) {
                try add(.success(known), isKnown: true, renderer)
                continue
            }
            var error = refusal
            if index != faulty { error.named = .one(nil) }
            try add(.failure(.command(index: faulty, error)), isKnown: false, renderer)
        }
    }
}

extension Change {
    fileprivate mutating func add(_ other: Change) {
        operations += other.operations
        inserted += other.inserted
        deleted += other.deleted
    }

    /// The same change, without the tasks that were inserted and deleted again, or deleted and
    /// inserted again.
    fileprivate func net(from before: ReorderableList, to after: ReorderableList) -> Change {
        var net = self
        net.inserted = Set(inserted).filter { !before.contains($0) && after.contains($0) }.sorted()
        net.deleted = Set(deleted).filter { before.contains($0) && !after.contains($0) }.sorted()
        return net
    }
}

extension ServiceError {
    /// Whether there is no room for a task.
    fileprivate var isForRoom: Bool {
        switch self {
        case .refused(.sectionFull, _, _), .refused(.parentFull, _, _): true
        default: false
        }
    }

    /// The current state of the tasks that the refused request named.
    fileprivate var named: NamedTasks {
        get {
            switch self {
            case .command(_, let error): error.named
            case .refused(_, _, let tasks): tasks
            default: .one(nil)
            }
        }
        set {
            guard case .refused(let refusal, let version, _) = self else { return }
            self = .refused(refusal, version: version, tasks: newValue)
        }
    }
}

extension Result<CommandResult, ServiceError> {
    /// The bytes of the titles and `data` of the tasks in the result.
    fileprivate var taskBytes: Int {
        switch self {
        case .success(.moved(let outcome, _)):
            outcome.tasks.reduce(0) { $0 + $1.task.content.byteCount }
        case .success(.created(let task?)), .success(.updated(let task?)):
            task.content.byteCount
        case .success(.collapsed(let task, _, let shown)):
            (shown ?? []).reduce(task?.content.byteCount ?? 0) { $0 + $1.content.byteCount }
        case .success(.replayed(let bytes, _)): bytes.count
        case .failure(let error): error.named.byteCount
        default: 0
        }
    }

    /// The number of tasks in the result.
    var taskCount: Int {
        switch self {
        case .success(.moved(let outcome, _)): outcome.tasks.count
        case .success(.collapsed(_, rows: _, let shown?)): shown.count
        case .success(.replayed(_, let tasks)): tasks
        case .failure(let error): error.named.count
        default: 1
        }
    }
}

extension NamedTasks {
    fileprivate var count: Int {
        switch self {
        case .one: 1
        case .several(let tasks): tasks.count
        }
    }

    fileprivate var byteCount: Int {
        switch self {
        case .one(let task): task?.content.byteCount ?? 0
        case .several(let tasks): tasks.reduce(0) { $0 + $1.content.byteCount }
        }
    }
}
