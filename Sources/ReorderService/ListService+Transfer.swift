import ReorderEngine

extension ListService {
    /// Moves tasks into another list, as one commit of both lists' next versions.
    ///
    /// The request's precondition is about the list that they leave.
    func transfer(
        _ move: MoveRequest, to target: String, _ request: WriteRequest,
        _ completion: @escaping Completion<WriteAnswer>
    ) {
        decide(on: request.list, and: target, keepingAnswers: request.keepsAnswers, completion) {
            source, state, target, targetState in
            do throws(Undecided) {
                let answer = try self.perform(
                    move, request, from: source, &state, to: target, &targetState)
                return .result(.success(answer))
            } catch {
                switch error {
                case .refused(let error): return .result(.failure(error))
                case .blocked(let list): return .after(list)
                case .large(let tasks): return .large(tasks: tasks)
                }
            }
        }
    }

    /// Decides both lists' next versions, or throws and leaves both as they were.
    private func perform(
        _ move: MoveRequest, _ request: WriteRequest,
        from source: LoadedList, _ sourceState: inout LoadedList.State,
        to target: LoadedList, _ targetState: inout LoadedList.State
    ) throws(Undecided) -> WriteAnswer {
        guard sourceState.exists else { throw .refused(.listNotFound(source.id)) }
        guard
            request.precondition.holds(
                for: source.id, version: sourceState.version, exists: true)
        else {
            throw .refused(.versionMismatch(version: sourceState.version))
        }
        guard targetState.exists else { throw .refused(.targetListNotFound(target.id)) }

        if !sourceState.isWorkersCopy,
            sourceState.isLargeSnapshotDue || targetState.isLargeSnapshotDue
                || move.subject.taskCount(in: sourceState.list, upTo: Self.tasksOnLoop)
                    > Self.tasksOnLoop
        {
            throw .large(tasks: max(sourceState.list.count, targetState.list.count))
        }

        var (left, entered) = (sourceState, targetState)
        let outcome: TransferOutcome
        do {
            outcome = try left.list.transfer(move, to: &entered.list)
        } catch {
            let tasks = ListCommand.move(move).namedTasks(in: sourceState.list)
            throw .refused(.refused(error, version: sourceState.version, tasks: tasks))
        }
        guard entered.list.count <= limits.tasksPerList else {
            let tasks = ListCommand.move(move).namedTasks(in: sourceState.list)
            throw .refused(
                .targetListFull(
                    limit: limits.tasksPerList, version: sourceState.version, tasks: tasks))
        }
        // The list that they leave holds them, so no other list does in the store. Where it made them
        // only just now, or another list is about to get them, that has to be durable first.
        if let holder = reservations.reserve(outcome.moved, for: target) {
            throw .blocked(by: holder)
        }
        left.version += 1
        entered.version += 1
        let tasks = outcome.tasks.compactMap { entered.list.task($0) }
        var named = NamedTasks.one(tasks.first)
        if case .tasks = move.subject { named = .several(tasks) }
        var answer = WriteAnswer(
            list: source.id, version: left.version, epoch: epoch, changed: true, created: false,
            result: .transferred(
                outcome, named, to: ListVersion(list: target.id, version: entered.version)))
        guard !request.isDryRun else {
            reservations.release(outcome.moved, of: target)
            answer.version = sourceState.version
            answer.result = .transferred(
                outcome, named, to: ListVersion(list: target.id, version: targetState.version))
            return answer
        }
        if sharing != nil {
            sourceState.keepBase()
            targetState.keepBase()
            (left.bases, entered.bases) = (sourceState.bases, targetState.bases)
        }
        // The tasks leave before they come: within a commit too, a task is in one list.
        left.decided = entry(
            for: Change(
                operations: outcome.departure, deleted: outcome.moved,
                transfer: .to(target.id),
                answers: request.attempt.map { [$0.answer(with: answer)] } ?? []),
            by: request.client, on: source, &left)
        entered.decided = entry(
            for: Change(
                operations: outcome.arrival, inserted: outcome.moved,
                transfer: .from(source.id)),
            by: request.client, on: target, &entered)
        (sourceState, targetState) = (left, entered)
        return answer
    }
}

extension MoveRequest.Subject {
    /// How many tasks are moved with all that is beneath them, counted up to a little more than a limit.
    fileprivate func taskCount(in list: ReorderableList, upTo limit: Int) -> Int {
        switch self {
        case .task(let task): return list.taskCount(under: task, upTo: limit)
        case .row(let row):
            return list.task(atRow: row).map { list.taskCount(under: $0.id, upTo: limit) } ?? 0
        case .tasks(let tasks):
            var count = 0
            for task in tasks where count <= limit {
                count += list.taskCount(under: task, upTo: limit)
            }
            return count
        }
    }
}
