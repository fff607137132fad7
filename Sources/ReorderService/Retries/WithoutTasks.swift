import ReorderEngine

extension Result<WriteResult, ServiceError> {
    /// The same result without the tasks of an array, rows or a batch.
    var withoutTasks: Self {
        switch self {
        case .success(var answer):
            if case .collapsed(let task, let rows, _) = answer.result {
                // The rows are what can be large.
                answer.result = .collapsed(task, rows: rows, shown: nil)
            } else {
                answer.result = answer.result.withoutTasks
            }
            return .success(answer)
        case .failure(let error): return .failure(error.withoutTasks)
        }
    }
}

extension Result<CommandResult, ServiceError> {
    /// The same result without the state of tasks.
    var withoutTasks: Self {
        switch self {
        case .success(let result): .success(result.withoutTasks)
        case .failure(let error): .failure(error.withoutTasks)
        }
    }
}

extension CommandResult {
    fileprivate var withoutTasks: CommandResult {
        switch self {
        case .moved(let outcome, let tasks): .moved(outcome, tasks.withoutTasks)
        case .transferred(let outcome, let tasks, let target):
            .transferred(outcome, tasks.withoutTasks, to: target)
        case .created(_, let placedBy): .created(nil, placedBy: placedBy)
        case .updated: .updated(nil)
        case .collapsed(_, let rows, _): .collapsed(nil, rows: rows, shown: nil)
        case .undone(let version, _, let deleted):
            .undone(version: version, tasks: nil, deleted: deleted)
        case .batch(let results): .batch(results.map(\.withoutTasks))
        // A stored result is small, and an element is one task.
        case .done, .deleted, .settings, .section, .element, .replayed: self
        }
    }
}

extension ServiceError {
    fileprivate var withoutTasks: ServiceError {
        switch self {
        case .refused(let refusal, let version, _):
            .refused(refusal, version: version, tasks: .one(nil))
        case .command(let index, let error): .command(index: index, error.withoutTasks)
        case .targetListFull(let limit, let version, _):
            .targetListFull(limit: limit, version: version, tasks: .one(nil))
        case .undoConflict(let conflict, let version, _):
            .undoConflict(conflict, version: version, tasks: .one(nil))
        default: self
        }
    }
}

extension NamedTasks {
    fileprivate var withoutTasks: NamedTasks {
        switch self {
        case .one: .one(nil)
        case .several: .several(nil)
        }
    }
}
