import ReorderEngine

extension ListService {
    /// How many tasks the answer to a batch may tell: a few bytes can ask for very many rows, again
    /// and again.
    static let tasksToldOfABatch = 10_000

    /// Does commands one after another as one change.
    ///
    /// - Throws: where `isAtomic`, why the first one failed that did; where a task's id is about to be
    ///   held by another list, that: the whole batch is decided again. The list is as it was.
    func perform(
        _ commands: [ListCommand], isAtomic: Bool, once keys: OperationKeys? = nil,
        on list: LoadedList, _ state: inout LoadedList.State
    ) throws(Undecided) -> (Change, CommandResult) {
        var ledger: OperationLedger?
        do throws(ServiceError) {
            ledger = try keys.map { keys throws(ServiceError) in
                try OperationLedger(keys, of: list.id)
            }
        } catch {
            throw .refused(error)
        }
        var copy = state
        var change = Change(operations: [])
        var results: [Result<CommandResult, ServiceError>] = []
        var told = 0
        for (index, command) in commands.enumerated() {
            let known = ledger?.result(of: index, isAtomic: isAtomic, version: state.version)
            do throws(Undecided) {
                switch known {
                case .success(let result)?: results.append(.success(result))
                case .failure(let error)?: throw Undecided.refused(error)
                case nil:
                    let (step, result) = try perform(command, on: list, &copy)
                    change.operations += step.operations
                    change.inserted += step.inserted
                    change.deleted += step.deleted
                    results.append(.success(result))
                }
            } catch {
                switch error {
                case .refused(let error) where !isAtomic: results.append(.failure(error))
                case .refused(var error):
                    reservations.release(change.inserted, of: list)
                    if case .refused(let refusal, let version, _) = error {
                        // The tasks as they are now that none of the batch was done.
                        error = .refused(
                            refusal, version: version, tasks: command.namedTasks(in: state.list))
                    }
                    throw .refused(.command(index: index, error))
                case .blocked, .large:
                    reservations.release(change.inserted, of: list)
                    throw error
                }
            }
            told += results.last?.taskCount ?? 0
            guard told <= Self.tasksToldOfABatch else {
                reservations.release(change.inserted, of: list)
                let error = ServiceError.answerTooLarge(limit: Self.tasksToldOfABatch)
                throw .refused(.command(index: index, error))
            }
            if known == nil, let result = results.last { ledger?.note(result, of: index) }
        }
        var net = change.net(from: state.list, to: copy.list)
        release(change.inserted, butOnce: net.inserted, of: list)
        net.answers = (ledger?.answers ?? []).map { key, answer in
            storedAnswer(to: key, at: keys?.time ?? 0, answer)
        }
        state = copy
        return (net, .batch(results))
    }

    /// Each id was claimed as often as it came in; the commit releases those that stay, once.
    private func release(_ claimed: [TaskID], butOnce kept: [TaskID], of list: LoadedList) {
        var kept = Set(kept)
        reservations.release(claimed.filter { kept.remove($0) == nil }, of: list)
    }
}

extension Change {
    /// The same change with the tasks that came and went all in all: one may have come and gone
    /// again, or gone and come again.
    fileprivate func net(from before: ReorderableList, to after: ReorderableList) -> Change {
        var net = self
        net.inserted = Set(inserted).filter { !before.contains($0) && after.contains($0) }.sorted()
        net.deleted = Set(deleted).filter { before.contains($0) && !after.contains($0) }.sorted()
        return net
    }
}

extension Result<CommandResult, ServiceError> {
    /// How many tasks the answer tells.
    var taskCount: Int {
        switch self {
        case .success(.moved(_, let tasks)): tasks.count
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
}
