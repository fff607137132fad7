import ReorderEngine

extension CopyRequest {
    /// Returns the reason if the copied task does not exist; nil if it exists.
    func missingTarget(in list: WorkingList) -> Refusal? {
        guard case .task(let task, _, _) = subject, !list.list.contains(task) else {
            return nil
        }
        return .taskNotFound(task)
    }

    /// The number of copied tasks and sections. Counting stops a little above the limit.
    func taskCount(in list: ReorderableList, upTo limit: Int) -> Int {
        switch subject {
        case .list: list.entryCount
        case .task(let task, _, _): list.taskCount(under: task, upTo: limit)
        }
    }
}

extension Decider {
    /// Copies a task or a list. If it throws, nothing has changed.
    func copy(
        _ copy: CopyRequest, from source: WorkingList, to target: inout WorkingList,
        _ host: some DecisionHost
    ) throws(Interruption) -> (Change, CommandResult) {
        switch copy.subject {
        case .list(let title):
            guard !target.exists else { throw .refused(.listTaken(target.id)) }
            guard var list = try? source.list.copied(makeID: copy.makeIDs()) else {
                throw .refused(.unreadable)
            }
            if let title { _ = list.update(SettingsUpdate(title: title)) }
            return (try replace(&target, with: list, host), .done)
        case .task(let task, var destination, _):
            guard target.exists else { throw .refused(.targetListNotFound(target.id)) }
            if destination == Destination(), source.id == target.id {
                destination = Destination(after: task)
            }
            let original = source.list
            var list = target.list
            let outcome: CopyOutcome
            do throws(Refusal) {
                outcome = try list.copy(
                    task, of: original, at: destination, makeID: copy.makeIDs())
            } catch {
                throw .refused(
                    .refused(
                        error, version: source.version, tasks: .one(original.task(task))))
            }
            try checkRoom(for: list.count)
            try checkNew(outcome.inserted, for: target.id, host)
            target.list = list
            let copied = outcome.inserted.first.flatMap { list.task($0) }
            return (
                Change(operations: outcome.operations, inserted: outcome.inserted),
                .created(copied)
            )
        }
    }
}
