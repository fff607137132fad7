import ReorderEngine

/// The checks of a write that come before the rules of its list.
extension ListService {
    /// Throws the reason if the write can't be applied, or must be decided on a worker.
    func check(
        _ request: WriteRequest, on lists: Transaction, _ lookups: WriteLookups
    ) throws(Interruption) {
        let source = request.subject(of: lists)
        let (exists, version) = (source.state.exists, source.state.version)
        if case .put = request.action, exists, request.precondition == .none {
            throw .refused(.preconditionRequired(version: version))
        }
        if let error = request.missingTarget(in: source, lookups) { throw .refused(error) }
        guard request.precondition.holds(for: source.id, version: version, exists: exists) else {
            throw .refused(
                .versionMismatch(request.precondition, version: version, exists: exists))
        }
        switch request.action {
        case .transfer:
            if let target = lists.other, !target.state.exists {
                throw .refused(.targetListNotFound(target.id))
            }
        case .copy:
            // A copy of a change that then fails would be a copy of something that never was.
            if lists.other != nil, !source.state.isDurable { throw .blocked(by: source.cached) }
        default: break
        }
        if !lists.list.isCopy, let tasks = largeSize(of: request, on: lists, lookups) {
            throw .large(tasks: tasks)
        }
    }

    /// Throws the reason if a list can't be created with this content, or get it instead of the
    /// current one. For imports, which check all lists before they write the first one.
    package func check(
        _ content: ReorderableList, of list: String, replacing current: ReorderableList?
    ) throws(ServiceError) {
        do throws(Interruption) {
            try checkRoom(for: content.count)
            try checkRoom(forSections: content.sectionCount, insteadOf: current)
        } catch {
            guard case .refused(let reason) = error else { throw .unavailable }
            throw reason
        }
        let taken: TaskID?
        do {
            taken = try firstTask(among: content.taskIDs, notIn: list)
        } catch {
            throw failure(error, list: list)
        }
        if let taken { throw .taskTaken(taken) }
    }

    /// An estimate of the number of tasks and sections that a request handles; nil if they are not
    /// too many for an event loop.
    private func largeSize(
        of request: WriteRequest, on lists: Transaction, _ lookups: WriteLookups
    ) -> Int? {
        // A deletion renders no snapshot.
        if case .deleteList = request.action { return nil }
        let count = request.taskCount(on: lists, lookups, upTo: limits.tasksOnLoop)
        guard
            count > limits.tasksOnLoop || makesLargeSnapshot(of: lists.list)
                || lists.other.map(makesLargeSnapshot) == true
        else { return nil }
        return max(count, lists.list.state.list.entryCount, lists.other?.state.list.entryCount ?? 0)
    }
}

extension WriteRequest {
    /// The list that the precondition is about: the one that is changed or copied.
    fileprivate func subject(of lists: Transaction) -> CachedList {
        if case .copy = action { lists.other ?? lists.list } else { lists.list }
    }

    /// Returns the error if the resource in the request's path does not exist; nil if it exists.
    /// This is checked before the precondition (RFC 9110, section 13.2.1).
    fileprivate func missingTarget(
        in list: CachedList, _ lookups: WriteLookups
    ) -> ServiceError? {
        let exists = list.state.exists
        switch action {
        case .create, .put: return nil
        case .restore:
            return exists || lookups.binned != nil ? nil : .listNotInBin(list.id)
        case .deleteList(isPermanent: true):
            return exists || lookups.binned != nil ? nil : .listNotFound(list.id)
        case .command, .transfer, .copy, .fold, .batch, .element, .deleteList, .undo: break
        }
        guard exists else { return .listNotFound(list.id) }
        let refusal: Refusal? =
            switch action {
            case .command(let command): command.missingTarget(in: list)
            case .copy(let copy, _): copy.missingTarget(in: list)
            default: nil
            }
        return refusal.map { .refused($0, version: list.state.version, tasks: .one(nil)) }
    }

    /// An estimate of the number of tasks, and of sections of whole lists, that the request
    /// handles. Counting stops a little above the limit.
    fileprivate func taskCount(
        on lists: Transaction, _ lookups: WriteLookups, upTo limit: Int
    ) -> Int {
        let list = lists.list
        switch action {
        case .create(let content): return content.entryCount
        case .put(let content): return max(content.entryCount, list.state.list.entryCount)
        case .restore: return list.state.exists ? 0 : lookups.binned?.list?.entryCount ?? 0
        case .command(let command): return command.taskCount(in: list, upTo: limit)
        case .batch(let commands, _, _):
            // An op counts as several tasks, because it takes longer than a task of a document.
            var count = 10 * commands.count
            for command in commands where count <= limit {
                count += command.taskCount(in: list, upTo: limit)
            }
            return count
        case .transfer(let move, _):
            guard lists.other != nil else { return 0 }
            return move.subject.taskCount(in: list.state.list, upTo: limit)
        case .copy(let copy, _):
            return copy.taskCount(in: subject(of: lists).state.list, upTo: limit)
        case .undo: return lookups.undo?.operationCount ?? 0
        case .element, .fold, .deleteList: return 0
        }
    }
}

extension MoveRequest.Subject {
    /// The number of tasks in the moved subtrees. Counting stops a little above the limit.
    fileprivate func taskCount(in list: ReorderableList, upTo limit: Int) -> Int {
        var count = 0
        for task in list.tasks(named: self) where count <= limit {
            count += list.taskCount(under: task, upTo: limit)
        }
        return count
    }
}
