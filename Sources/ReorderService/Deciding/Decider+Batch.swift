import ReorderEngine

extension Decider {
    /// The maximum number of tasks in the response to a batch. Without a limit, a small request
    /// could return very many rows.
    static let maximumBatchTasks = 10_000
    /// The maximum size of the titles and `data` of these tasks.
    static let maximumBatchBytes = 16 << 20

    /// Applies commands in order as one change.
    ///
    /// - Throws: if `isAtomic`, the error of the first command that failed; the list is unchanged.
    func apply(
        _ commands: [ListCommand], isAtomic: Bool, to list: inout WorkingList, _ facts: Facts,
        _ host: some DecisionHost, _ renderer: some WriteRenderer
    ) throws(Interruption) -> (Change, CommandResult) {
        let before = list.list
        var progress = BatchProgress(facts)
        do throws(Interruption) {
            for (index, command) in commands.enumerated() {
                try apply(command, at: index, isAtomic, to: &list, &progress, host, renderer)
            }
        } catch {
            list.list = before
            guard
                case .refused(.command(let index, .refused(let refusal, let version, let tasks))) =
                    error
            else { throw error }
            // Their current state, because nothing of the batch was applied.
            let named = tasks.current(in: before)
            throw .refused(
                .command(index: index, .refused(refusal, version: version, tasks: named)))
        }
        var net = progress.change.net(from: before, to: list.list)
        net.responses = progress.operationResults?.storedResponses ?? []
        return (net, .batch(progress.results))
    }

    /// What the commands of a batch have done so far.
    private struct BatchProgress {
        var change = Change(operations: [])
        var results: [Result<CommandResult, ServiceError>] = []
        let refusedMoves: [Int: ServiceError]
        var operationResults: OperationResults?
        /// The number of tasks in the results.
        var taskCount = 0
        /// The bytes of their titles and `data`.
        var taskBytes = 0

        init(_ facts: Facts) {
            refusedMoves = facts.refusedMoves
            operationResults = facts.operationResults
        }
    }

    private func apply(
        _ command: ListCommand, at index: Int, _ isAtomic: Bool, to list: inout WorkingList,
        _ progress: inout BatchProgress, _ host: some DecisionHost, _ renderer: some WriteRenderer
    ) throws(Interruption) {
        let known = progress.operationResults?.result(
            of: index, isAtomic: isAtomic, version: list.version)
        var result: Result<CommandResult, ServiceError>
        if let known {
            result = known
        } else if let error = progress.refusedMoves[index] {
            result = .failure(error)
        } else {
            do throws(Interruption) {
                let (change, done) = try apply(command, to: &list, host)
                progress.change.operations += change.operations
                progress.change.inserted += change.inserted
                progress.change.deleted += change.deleted
                result = .success(done)
            } catch {
                guard case .refused(let error) = error else { throw error }
                result = .failure(error)
            }
        }
        if case .failure(let error) = result, isAtomic {
            throw .refused(.command(index: index, error))
        }
        progress.results.append(result)
        progress.taskCount += result.taskCount
        progress.taskBytes += result.taskBytes
        guard progress.taskCount <= Self.maximumBatchTasks,
            progress.taskBytes <= Self.maximumBatchBytes
        else {
            throw .refused(
                .command(index: index, .responseTooLarge(limit: Self.maximumBatchTasks)))
        }
        if known == nil, progress.operationResults?.stores(result, of: index) == true {
            progress.operationResults?.note(result, of: index, renderer)
        }
    }
}

extension Change {
    /// The same change, without the tasks that were inserted and deleted again, or deleted and
    /// inserted again.
    fileprivate func net(from before: ReorderableList, to after: ReorderableList) -> Change {
        var net = self
        net.inserted = Set(inserted).filter { !before.contains($0) && after.contains($0) }.sorted()
        net.deleted = Set(deleted).filter { before.contains($0) && !after.contains($0) }.sorted()
        return net
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
        case .failure(.refused(_, _, let tasks)): tasks.byteCount
        default: 0
        }
    }

    /// The number of tasks in the result.
    var taskCount: Int {
        switch self {
        case .success(.moved(let outcome, _)): outcome.tasks.count
        case .success(.collapsed(_, rows: _, let shown?)): shown.count
        case .success(.replayed(_, let tasks)): tasks
        case .failure(.refused(_, _, let tasks)): tasks.count
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
