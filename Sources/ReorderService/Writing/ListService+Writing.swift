import ReorderEngine
import ReorderJSON
import ReorderStore

extension ListService {
    /// Changes a list. The response waits until the versions that it was decided on are durable.
    ///
    /// A request with a key is applied once: its response is stored with its change, or by itself
    /// if nothing changed. A repeated request gets the stored response. An error is stored only if
    /// `ServiceError.isDecision` is true. Other errors are thrown.
    package func write(
        _ request: WriteRequest, _ context: RequestContext, as renderer: some WriteRenderer
    ) throws(ServiceError) -> WriteOutcome {
        guard let key = request.key else {
            return .done(try write(request, context, renderer, storing: nil))
        }
        while true {
            if let bytes = try storedResponse(to: key, of: request, context) {
                return .replayed(bytes)
            }
            let store = ResponseSlot(key, at: context.time.milliseconds, limits.retention)
            var answer: WriteResult?
            let result: Result<WriteResult, ServiceError>
            do throws(ServiceError) {
                let done = try write(request, context, renderer, storing: store)
                if let bytes = store.bytes { return .stored(bytes, of: done) }
                answer = done
                result = .success(done)
            } catch {
                // Another server may have applied this request meanwhile. Then its response is
                // stored.
                if error.isAbsence, shared != nil, !context.progress.hasCheckedAbsence {
                    context.progress.hasCheckedAbsence = true
                    context.progress.responses = nil
                    continue
                }
                guard error.isDecision else { throw error }
                result = .failure(error)
            }
            context.unstoredResponses.append(
                store.response(
                    to: result, renderer,
                    maximumBytes: StoredResponseContent.maximumBytesWithoutChange))
            return .stored(store.bytes ?? [], of: answer)
        }
    }

    /// The stored response, if the request repeats an earlier one with the same key; nil otherwise.
    package func replay(
        of request: WriteRequest, _ context: RequestContext
    ) throws(ServiceError) -> WriteOutcome? {
        guard let key = request.key else { return nil }
        return try storedResponse(to: key, of: request, context).map { .replayed($0) }
    }

    /// Finds the list of a request that names only a task. If the task moves to another list before
    /// the request is decided, the lookup is repeated.
    private func write(
        _ request: WriteRequest, _ context: RequestContext, _ renderer: some WriteRenderer,
        storing slot: ResponseSlot?
    ) throws(ServiceError) -> WriteResult {
        guard let task = request.holder else {
            return try writeToList(request, context, renderer, slot)
        }
        return try onList(containing: task, in: request.scope, context) {
            list throws(ServiceError) in
            var request = request
            request.list = list
            return try writeToList(request, context, renderer, slot)
        }
    }

    private func writeToList(
        _ request: WriteRequest, _ context: RequestContext, _ renderer: some WriteRenderer,
        _ slot: ResponseSlot?
    ) throws(ServiceError) -> WriteResult {
        if let list = request.forbiddenList { throw .listForbidden(list) }
        switch request.action {
        case .transfer(let move, let target) where target != request.list:
            return try decide(on: request.list, and: target, context) {
                lists throws(Interruption) in
                try transfer(
                    move, request, from: lists.list, to: lists.other, at: context.time, renderer,
                    slot)
            }
        case .copy(let copy, let list):
            let source = list ?? request.list
            var target = request.list
            if case .task(_, _, let list?) = copy.subject { target = list }
            if case .list = copy.subject, source == target { throw .listTaken(target) }
            return try decide(on: target, and: source == target ? nil : source, context) {
                lists throws(Interruption) in
                try self.copy(
                    copy, request, from: lists.other ?? lists.list, to: lists.list,
                    at: context.time, renderer, slot)
            }
        case .batch(_, _, let keys?):
            while true {
                let operationResults = try loadOperationResults(keys, of: request.list, context)
                do throws(ServiceError) {
                    let answer = try decide(
                        request, context, renderer, slot, operationResults: operationResults)
                    context.unstoredResponses += answer.unstored
                    return answer
                } catch {
                    guard checksOperationsAgain(error, context) else { throw error }
                }
            }
        case .restore, .deleteList(isPermanent: true):
            return try usingBin(request, context, renderer, slot)
        case .undo(let version):
            return try undoing(version, in: request, context) { undo throws(ServiceError) in
                try decide(request, context, renderer, slot, undo: undo)
            }
        default: return try decide(request, context, renderer, slot)
        }
    }

    private func decide(
        _ request: WriteRequest, _ context: RequestContext, _ renderer: some WriteRenderer,
        _ slot: ResponseSlot?, operationResults: OperationResults? = nil, undo: UndoResult? = nil
    ) throws(ServiceError) -> WriteResult {
        try decide(on: request.list, context) { lists throws(Interruption) in
            let list = lists.list
            try check(request, on: list, undo)
            // A dry run uses a copy. Its ids stay reserved until it has ended.
            let subject = request.isDryRun ? list.copy() : list
            if !request.isDryRun, shared != nil { list.state.keepBase() }
            let existed = list.state.exists
            subject.state.list.changeTime = context.time.milliseconds
            var (change, result) = try apply(
                request.action, to: subject, operationResults, undo, renderer)
            if request.isDryRun { reservations.release(change.inserted, of: list.cached) }
            var answer = WriteResult(
                list: list.id, version: list.state.version, epoch: epoch,
                changed: !change.operations.isEmpty,
                created: !existed && !change.operations.isEmpty, result: result)
            guard answer.changed, !request.isDryRun else {
                answer.unstored = request.isDryRun ? [] : change.responses
                return answer
            }
            list.state.version += 1
            answer.version = list.state.version
            if let slot {
                change.responses.append(slot.response(to: .success(answer), renderer))
            }
            list.state.decided = entry(for: change, by: request.client, on: list, at: context.time)
            return answer
        }
    }

    /// Makes the checks that come before the rules of the list.
    private func check(
        _ request: WriteRequest, on list: CachedList, _ undo: UndoResult?
    ) throws(Interruption) {
        let (exists, version) = (list.state.exists, list.state.version)
        if case .put = request.action, exists, request.precondition == .none {
            throw .refused(.preconditionRequired(version: version))
        }
        switch request.action {
        case .command, .fold, .transfer, .batch, .element, .deleteList, .undo:
            guard exists else { throw .refused(.listNotFound(list.id)) }
        case .create, .put, .copy, .restore: break
        }
        if case .command(let command) = request.action,
            let refusal = command.missingTarget(in: list)
        {
            throw .refused(.refused(refusal, version: version, tasks: .one(nil)))
        }
        guard request.precondition.holds(for: list.id, version: version, exists: exists) else {
            throw .refused(.versionMismatch(version: version))
        }
        if !list.isCopy, let tasks = largeSize(of: request, on: list, undo) {
            throw .large(tasks: tasks)
        }
    }

    private func apply(
        _ action: WriteRequest.Action, to list: CachedList, _ operationResults: OperationResults?,
        _ undo: UndoResult?, _ renderer: some WriteRenderer
    ) throws(Interruption) -> (Change, CommandResult) {
        switch action {
        case .command(let command): return try apply(command, to: list)
        case .fold(let fold): return try apply(fold, to: list)
        case .transfer(let move, _): return try apply(.move(move), to: list)
        // `writeToList` decides these itself.
        case .copy, .restore: throw .refused(.unavailable)
        case .batch(let commands, let isAtomic, _):
            return try apply(commands, isAtomic: isAtomic, to: list, operationResults, renderer)
        case .element(let element): return try apply(element, to: list, renderer)
        case .create(let content):
            guard !list.state.exists else { throw .refused(.listTaken(list.id)) }
            return (try replace(list, with: content), .done)
        case .put(let content):
            return (try replace(list, with: content), .done)
        case .undo(let version): return try apply(undo, of: version, to: list)
        case .deleteList(let isPermanent): return (delete(list, isPermanent: isPermanent), .done)
        }
    }

    private func apply(
        _ fold: Fold, to list: CachedList
    ) throws(Interruption) -> (Change, CommandResult) {
        let command: ListCommand
        do throws(ServiceError) { command = try fold.command(on: list) } catch {
            throw .refused(error)
        }
        return try apply(command, to: list)
    }

    func apply(
        _ command: ListCommand, to list: CachedList
    ) throws(Interruption) -> (Change, CommandResult) {
        let inserted = command.createdTask.map { [$0] } ?? []
        // Only insertions are limited, so that a list above a lowered limit can still be changed.
        if !inserted.isEmpty { try checkRoom(for: list.state.list.count + inserted.count) }
        if case .createSection = command {
            try checkRoom(
                forSections: list.state.list.sectionCount + 1, insteadOf: list.state.list)
        }
        try claim(inserted, for: list.cached)
        do throws(ServiceError) {
            return try command.apply(to: &list.state.list, version: list.state.version)
        } catch {
            reservations.release(inserted, of: list.cached)
            throw .refused(error)
        }
    }

    /// Creates or replaces a list. If it is equal already, nothing changes.
    func replace(
        _ list: CachedList, with document: ReorderableList
    ) throws(Interruption) -> Change {
        let time = list.state.list.changeTime
        var content = document
        content.completeTimes(replacing: list.state.exists ? list.state.list : nil, at: time)
        if list.state.exists {
            guard content != list.state.list else { return Change(operations: []) }
            content.times.updatedAt = time
        }
        try checkRoom(for: content.count)
        try checkRoom(forSections: content.sectionCount, insteadOf: list.state.list)
        let before = Set(list.state.list.tasks.lazy.map(\.id))
        let after = content.tasks.map(\.id)
        // Sorted, because a store that orders them by id then needs half the time.
        let inserted = after.filter { !before.contains($0) }.sorted()
        let deleted = before.subtracting(after)
        try claim(inserted, for: list.cached)
        let kind = list.state.exists ? nil : ChangeDocument.Kind.created
        list.state.list = content
        list.state.exists = true
        return Change(
            operations: [.replace], inserted: inserted, deleted: Array(deleted), kind: kind)
    }

    func checkRoom(for count: Int) throws(Interruption) {
        guard count <= limits.tasksPerList else {
            throw .refused(.listFull(limit: limits.tasksPerList))
        }
    }

    /// Checks the limit on sections. A list that is already above it can keep its sections.
    func checkRoom(
        forSections count: Int, insteadOf list: ReorderableList
    ) throws(Interruption) {
        guard count <= max(limits.sectionsPerList, list.sectionCount) else {
            throw .refused(.sectionsFull(limit: limits.sectionsPerList))
        }
    }

    /// An estimate of the number of tasks that a request handles; nil if they are not too many for
    /// an event loop.
    private func largeSize(
        of request: WriteRequest, on list: CachedList, _ undo: UndoResult?
    ) -> Int? {
        makesLargeSnapshot(of: list)
            ? list.state.list.count
            : request.largeSize(on: list, undo, tasksOnLoop: limits.tasksOnLoop)
    }

    /// Reserves these ids, and checks that no other list contains them or has reserved them.
    func claim(_ tasks: [TaskID], for list: CachedList) throws(Interruption) {
        guard !tasks.isEmpty else { return }
        if let holder = reservations.reserve(tasks, for: list) { throw .blocked(by: holder) }
        var taken: TaskID?
        do {
            // A shared store is queried only for ids that it has refused before. Otherwise each
            // insertion would wait for the store under a lock.
            let asked = shared.map { $0.refusedIDs(among: tasks) } ?? tasks
            // In parts, because a store's commits may wait while it reads.
            for start in stride(from: 0, to: asked.count, by: limits.tasksOnLoop) where taken == nil
            {
                let piece = Array(asked[start..<min(start + limits.tasksOnLoop, asked.count)])
                let holders = try store.lists(containing: piece)
                shared?.clear(piece.filter { holders[$0] == nil })
                // If the store's entry is for this list, a version that is not durable yet has
                // deleted the task.
                taken = holders.first { $0.value != list.id }?.key
            }
        } catch {
            reservations.release(tasks, of: list)
            throw .refused(failure(error, list: list.id))
        }
        if let taken {
            reservations.release(tasks, of: list)
            throw .refused(.taskTaken(taken))
        }
    }
}

extension WriteRequest {
    /// The same estimate, without the list's snapshot.
    fileprivate func largeSize(
        on list: CachedList, _ undo: UndoResult?, tasksOnLoop limit: Int
    ) -> Int? {
        let count =
            switch action {
            case .create(let content): content.count
            case .put(let content): max(content.count, list.state.list.count)
            case .command(let command): command.taskCount(in: list, upTo: limit)
            case .batch(let commands, _, _): Self.taskCount(of: commands, in: list, upTo: limit)
            case .undo: undo?.operationCount ?? 0
            case .fold, .transfer, .copy, .element, .deleteList, .restore: 0
            }
        return count > limit ? max(count, list.state.list.count) : nil
    }

    /// An op counts as several tasks, because it takes longer than a task of a document.
    private static func taskCount(
        of commands: [ListCommand], in list: CachedList, upTo limit: Int
    ) -> Int {
        var count = 10 * commands.count
        for command in commands where count <= limit {
            count += command.taskCount(in: list, upTo: limit)
        }
        return count
    }
}
