import Foundation
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
            let slot = ResponseSlot(key, at: context.time.milliseconds, limits.retention)
            let result: Result<WriteResult, ServiceError>
            do throws(ServiceError) {
                let done = try write(request, context, renderer, storing: slot)
                result = .success(done)
                if let bytes = slot.bytes { return .stored(bytes, of: result) }
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
                slot.response(
                    to: result, renderer,
                    maximumBytes: StoredResponseContent.maximumBytesWithoutChange))
            return .stored(slot.bytes ?? [], of: result)
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
        guard !request.rowVersions.isEmpty else {
            return try writeToList(request, context, renderer, slot, refusedMoves: [:])
        }
        let moves = try named(request.seenMoves(in: epoch), in: request, context)
        var named = request
        named.replace(moves)
        return try writeToList(
            named, context, renderer, slot, refusedMoves: moves.refusals)
    }

    private func writeToList(
        _ request: WriteRequest, _ context: RequestContext, _ renderer: some WriteRenderer,
        _ slot: ResponseSlot?, refusedMoves: [Int: ServiceError]
    ) throws(ServiceError) -> WriteResult {
        var lookups = WriteLookups(refusedMoves: refusedMoves)
        switch request.action {
        case .batch(_, _, let keys?):
            while true {
                lookups.operationResults = try loadOperationResults(
                    keys, of: request.list, context)
                do throws(ServiceError) {
                    let answer = try decide(request, context, renderer, slot, lookups)
                    context.unstoredResponses += answer.unstored
                    return answer
                } catch {
                    guard checksOperationsAgain(error, context) else { throw error }
                }
            }
        case .restore, .deleteList(isPermanent: true):
            return try usingBin(request, context, renderer, slot)
        case .undo(let version):
            let version = version.number(in: epoch)
            return try undoing(version, in: request, context) { undo throws(ServiceError) in
                try decide(request, context, renderer, slot, WriteLookups(undo: undo))
            }
        default: return try decide(request, context, renderer, slot, lookups)
        }
    }

    private func decide(
        _ request: WriteRequest, _ context: RequestContext, _ renderer: some WriteRenderer,
        _ slot: ResponseSlot?, _ lookups: WriteLookups
    ) throws(ServiceError) -> WriteResult {
        let lists = request.lists
        return try decide(on: lists.changed, and: lists.other, context) {
            lists throws(Interruption) in
            try apply(request, to: lists, lookups, at: context.time, renderer, slot)
        }
    }

    /// Checks and applies a write under the locks, and makes the changes the next versions of their
    /// lists. If it throws, the lists are unchanged.
    func apply(
        _ request: WriteRequest, to lists: Transaction, _ lookups: WriteLookups, at time: Date,
        _ renderer: some WriteRenderer, _ slot: ResponseSlot?
    ) throws(Interruption) -> WriteResult {
        try check(request, on: lists, lookups)
        let (list, existed) = (lists.list, lists.list.state.exists)
        // A dry run uses copies. Its ids stay reserved until it has ended.
        let subjects = request.isDryRun ? lists.copies() : lists
        if !request.isDryRun, shared != nil { lists.forEach { $0.state.keepBase() } }
        subjects.forEach { $0.state.list.changeTime = time.milliseconds }
        let before = lists.list.state.listIfStepsAreKept
        let otherBefore = lists.other?.state.listIfStepsAreKept
        var effects = try effects(of: request, on: subjects, lookups, renderer)
        var answer = WriteResult(
            list: list.id, version: list.state.version,
            changed: !effects.change.operations.isEmpty,
            created: !existed && subjects.list.state.exists, result: effects.result)
        guard !request.isDryRun else {
            reservations.release(effects.change.inserted, of: list.cached)
            if let other = lists.other, let change = effects.otherChange {
                reservations.release(change.inserted, of: other.cached)
            }
            return answer
        }
        guard answer.changed else {
            answer.unstored = effects.change.responses
            return answer
        }
        answer.version += 1
        if let slot {
            effects.change.responses.append(slot.response(to: .success(answer), renderer))
        }
        accept(effects.change, of: list, from: before, by: request.client, at: time)
        if let other = lists.other, let change = effects.otherChange {
            accept(change, of: other, from: otherBefore, by: request.client, at: time)
        }
        return answer
    }

    /// Makes a change the next version of its list.
    ///
    /// - Parameter before: the list before the change, if it keeps its last changes.
    private func accept(
        _ change: Change, of list: CachedList, from before: ReorderableList?, by client: String?,
        at time: Date
    ) {
        list.state.version += 1
        if let before {
            list.state.steps?.append(change.operations, to: list.state.version, from: before)
        }
        list.state.decided = entry(for: change, by: client, on: list, at: time)
    }

    /// Applies the action to the lists, which keep their versions.
    private func effects(
        of request: WriteRequest, on lists: Transaction, _ lookups: WriteLookups,
        _ renderer: some WriteRenderer
    ) throws(Interruption) -> WriteEffects {
        let list = lists.list
        switch request.action {
        case .command(let command):
            if let error = lookups.refusedMoves[0] { throw .refused(error) }
            return WriteEffects(try apply(command, to: list))
        case .transfer(let move, _):
            if let error = lookups.refusedMoves[0] { throw .refused(error) }
            guard let target = lists.other else {
                return WriteEffects(try apply(.move(move), to: list))
            }
            return try transfer(move, from: list, to: target, isDryRun: request.isDryRun)
        case .copy(let copy, _):
            return WriteEffects(try apply(copy, from: lists.other ?? list, to: list))
        case .batch(let commands, let isAtomic, _):
            return WriteEffects(
                try apply(
                    commands, isAtomic: isAtomic, to: list, lookups, renderer))
        case .element(let element):
            return WriteEffects(try apply(element, to: list, renderer))
        case .fold(let task, let isFolded, let id):
            return WriteEffects(try apply(fold: task, isFolded, newEntry: id, to: list))
        case .create(let content):
            guard !list.state.exists else { throw .refused(.listTaken(list.id)) }
            return WriteEffects(try replace(list, with: content))
        case .put(let content): return WriteEffects(try replace(list, with: content))
        case .restore: return WriteEffects(try restore(list, lookups.binned?.list))
        case .undo(let version):
            return WriteEffects(try apply(lookups.undo, of: version.number(in: epoch), to: list))
        case .deleteList(let isPermanent):
            return WriteEffects(delete(list, isPermanent: isPermanent, lookups.binned))
        }
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
        let before = Set(list.state.list.taskIDs)
        let after = content.taskIDs
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
        forSections count: Int, insteadOf list: ReorderableList?
    ) throws(Interruption) {
        guard count <= max(limits.sectionsPerList, list?.sectionCount ?? 0) else {
            throw .refused(.sectionsFull(limit: limits.sectionsPerList))
        }
    }

    /// Reserves these ids, and checks that no other list contains them or has reserved them.
    func claim(_ tasks: [TaskID], for list: CachedList) throws(Interruption) {
        guard !tasks.isEmpty else { return }
        if let holder = reservations.reserve(tasks, for: list) { throw .blocked(by: holder) }
        let taken: TaskID?
        do {
            // A shared store is queried only for ids that it has refused before. Otherwise each
            // insertion would wait for the store under a lock.
            let asked = shared.map { $0.refusedIDs(among: tasks) } ?? tasks
            taken = try firstTask(among: asked, notIn: list.id)
        } catch {
            reservations.release(tasks, of: list)
            throw .refused(failure(error, list: list.id))
        }
        if let taken {
            reservations.release(tasks, of: list)
            throw .refused(.taskTaken(taken))
        }
    }

    /// A task that the store has in another list, if there is one.
    func firstTask(
        among tasks: [TaskID], notIn list: String
    ) throws(StoreError) -> TaskID? {
        // In parts, because a store's commits may wait while it reads.
        for start in stride(from: 0, to: tasks.count, by: limits.tasksOnLoop) {
            let piece = Array(tasks[start..<min(start + limits.tasksOnLoop, tasks.count)])
            let holders = try store.lists(containing: piece)
            shared?.clear(piece.filter { holders[$0] == nil })
            // If the store's entry is for this list, a version that is not durable yet has deleted
            // the task.
            if let taken = holders.first(where: { $0.value != list }) { return taken.key }
        }
        return nil
    }
}

/// The results of lookups that a request needs before it is decided.
struct WriteLookups {
    /// Why moves that count rows of certain versions are refused; the keys are the indices in the
    /// batch.
    var refusedMoves: [Int: ServiceError] = [:]
    /// The results of a batch's ops that earlier batches have applied.
    var operationResults: OperationResults?
    var undo: UndoResult?
    /// The list in the bin; nil if it is not there.
    var binned: BinLookup.Found?
}

/// What a write does to its lists.
struct WriteEffects {
    var change: Change
    /// The change of the list that tasks move into, if it is another one.
    var otherChange: Change?
    var result: CommandResult

    init(_ change: Change, and otherChange: Change? = nil, _ result: CommandResult = .done) {
        self.change = change
        self.otherChange = otherChange
        self.result = result
    }

    init(_ applied: (Change, CommandResult)) { self.init(applied.0, applied.1) }
}
