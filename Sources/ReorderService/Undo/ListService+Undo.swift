import ReorderEngine
import ReorderJSON
import ReorderStore

/// The result of planning or computing an undo.
enum UndoResult {
    /// The undo is not possible, whatever the current list is.
    case refused(ServiceError)
    /// The undo is to be computed under the list's lock.
    case planned(UndoPlan)
    case computed(ComputedUndo)

    /// The number of operations of an undo that was computed.
    var operationCount: Int {
        guard case .computed(let undo) = self else { return 0 }
        return (try? undo.result.get().outcome.operations.count) ?? 0
    }
}

/// A list after an undo, computed on a copy.
struct ComputedUndo: Sendable {
    /// The version of the copy. It was durable, so it identifies the list's content.
    var version: Int
    var result:
        Result<(list: ReorderableList, outcome: UndoOutcome, tasks: [ListTask]?), UndoConflict>
}

/// The progress of a request with an undo.
struct UndoSteps {
    fileprivate var current: Decided<VersionedList>?
    fileprivate var plan: UndoPlan?
    fileprivate var work: Reply<UndoWork>?
    /// How often the list changed while the undo was computed.
    fileprivate var overtakenCount = 0
    /// Whether the store was queried again after the undo was computed. The computation can take
    /// long.
    fileprivate var isRefreshed = false

    fileprivate struct UndoWork: Sendable {
        var plan: UndoPlan
        var computed: ComputedUndo
    }

    /// Discards the undo, because the list has changed since it was computed.
    mutating func overtaken() {
        if work != nil { overtakenCount += 1 }
        (current, work, isRefreshed) = (nil, nil, false)
    }
}

extension ListService {
    /// Undoes a change.
    ///
    /// The undo is computed on a copy of the list, on a thread of `undos`. It is applied if the
    /// list has not changed meanwhile; otherwise it is computed again.
    ///
    /// - Parameter decide: decides the request on the list.
    func undoing(
        _ version: Int, in request: WriteRequest, _ context: RequestContext,
        _ decide: (UndoResult) throws(ServiceError) -> WriteResult
    ) throws(ServiceError) -> WriteResult {
        if context.progress.undoPermit == nil {
            context.progress.undoPermit = try undos.admit(request.list)
        }
        while true {
            if let plan = context.progress.undo.plan,
                context.progress.undo.overtakenCount == Self.maximumOvertakenUndos
            {
                guard plan.operationCount <= Self.smallUndo else { throw .undoOvertaken }
                return try decide(.planned(plan))
            }
            let current = try context.durable(\.undo.current) { () throws(ServiceError) in
                try self.versionedList(of: request.list, context)
            }
            let work: UndoSteps.UndoWork
            do throws(ServiceError) {
                work = try self.work(on: current, undoing: version, context)
            } catch {
                guard error.isAboutUndo else { throw error }
                return try decide(.refused(error))
            }
            context.progress.undo.plan = work.plan
            if !context.progress.undo.isRefreshed {
                context.progress.undo.isRefreshed = true
                context.progress.listStates = nil
            }
            do throws(ServiceError) {
                return try decide(.computed(work.computed))
            } catch {
                guard case .undoOvertaken = error else { throw error }
            }
            context.discardTickets()
            context.progress.undo.overtaken()
        }
    }

    /// The maximum number of attempts to compute an undo on a copy.
    static let maximumOvertakenUndos = 3
    /// After these attempts, an undo with at most this number of operations is computed under the
    /// list's lock, which takes milliseconds.
    static let smallUndo = 1_000

    /// Computes the undo on a thread of `undos`.
    private func work(
        on current: VersionedList, undoing version: Int, _ context: RequestContext
    ) throws(ServiceError) -> UndoSteps.UndoWork {
        let plan = context.progress.undo.plan
        let time = context.time.milliseconds
        return try context.wait(for: \.undo.work) { reply throws(ServiceError) in
            try undos.run(of: current.id) { [self] mayBegin in
                reply.fill(
                    Result { () throws(ServiceError) in
                        guard mayBegin else { throw .unavailable }
                        let plan =
                            if let plan { plan } else {
                                try self.plan(version, of: current.id, at: current.version)
                            }
                        var list = current.list
                        list.changeTime = time
                        let computed = compute(plan, version, on: list, at: current.version)
                        guard undos.mayContinue else { throw .unavailable }
                        return UndoSteps.UndoWork(plan: plan, computed: computed)
                    })
            }
        }
    }

    /// Reads from the store a change, and the data that is needed to undo it.
    ///
    /// A change does not contain the previous state of the list. That state is computed from the
    /// last snapshot before the change, which costs as much as loading the list. So changes from
    /// before the older of the two stored snapshots can't be undone.
    private func plan(
        _ version: Int, of list: String, at current: Int
    ) throws(ServiceError) -> UndoPlan {
        let gone = ServiceError.historyGone(at: version, version: current)
        guard 1...max(1, current) ~= version else { throw gone }
        var content: StoredList.Content?
        let changes: [StoredChange]?
        do throws(StoreError) {
            let snapshot = try store.snapshots(of: list).last { $0.version < version }
            let start = snapshot?.version ?? version - 1
            changes = try store.changes(of: list, after: start, limit: version - start)
            content = snapshot.map { snapshot in
                StoredList.Content(
                    snapshot: snapshot.bytes, snapshotVersion: snapshot.version,
                    changes: changes?.dropLast() ?? [])
            }
        } catch {
            throw failure(error, list: list)
        }
        guard let last = changes?.last, last.version == version else { throw gone }
        do {
            let change = try ChangeDocument(json: last.bytes)
            switch change.transfer {
            case .to(let other), .from(let other):
                throw ServiceError.undoOfTransfer(other: other, version: current)
            case nil: break
            }
            guard !change.operations.contains(.replace) else { throw UndoConflict.replaced }
            guard change.operations.count <= limits.undos.operations else {
                throw UndoConflict.tooLarge(limit: limits.undos.operations)
            }
            guard var before = try content?.replayed() else { throw gone }
            content = nil
            before.changeTime = change.milliseconds
            return try UndoPlan(
                change.operations, before: before, limit: limits.undos.operations
            ) { undos.mayContinue }
        } catch let error as ServiceError {
            throw error
        } catch let conflict as UndoConflict {
            throw error(conflict, version: current, task: nil)
        } catch {
            logger.error(
                "version \(version) of list \(list) can't be read", metadata: ["error": "\(error)"])
            throw .unreadable
        }
    }

    /// Computes an undo on a copy of the list at a version that is durable. The list's `changeTime`
    /// is the time of the undo.
    func compute(
        _ plan: UndoPlan, _ undone: Int, on list: ReorderableList, at version: Int
    ) -> ComputedUndo {
        var copy = list
        do throws(UndoConflict) {
            let outcome = try copy.undo(plan, isLast: version == undone) { undos.mayContinue }
            let tasks = outcome.tasks.prefix(Self.maximumBatchTasks + 1).compactMap {
                copy.task($0)
            }
            let reported = tasks.count > Self.maximumBatchTasks ? nil : tasks
            return ComputedUndo(version: version, result: .success((copy, outcome, reported)))
        } catch {
            return ComputedUndo(version: version, result: .failure(error))
        }
    }

    /// Replaces the list with its state after the undo.
    func apply(
        _ undo: UndoResult?, of version: Int, to list: CachedList
    ) throws(Interruption) -> (Change, CommandResult) {
        let computed: ComputedUndo
        switch undo {
        case nil: throw .refused(.unavailable)
        case .refused(let error): throw .refused(error)
        case .planned(let plan):
            computed = compute(plan, version, on: list.state.list, at: list.state.version)
        case .computed(let undo):
            guard undo.version == list.state.version else { throw .refused(.undoOvertaken) }
            computed = undo
        }
        let (copy, outcome, tasks): (ReorderableList, UndoOutcome, [ListTask]?)
        do throws(UndoConflict) {
            (copy, outcome, tasks) = try computed.result.get()
        } catch {
            throw .refused(
                self.error(
                    error, version: list.state.version,
                    task: error.task.flatMap { list.state.list.task($0) }))
        }
        if !outcome.inserted.isEmpty { try checkRoom(for: copy.count) }
        try checkRoom(forSections: copy.sectionCount, insteadOf: list.state.list)
        do {
            try claim(outcome.inserted, for: list.cached)
        } catch {
            guard case .refused(.taskTaken(let task)) = error else { throw error }
            throw .refused(
                self.error(
                    .taskExists(task), version: list.state.version,
                    task: list.state.list.task(task)))
        }
        list.state.list = copy
        return (
            Change(
                operations: outcome.operations, inserted: outcome.inserted,
                deleted: outcome.deleted),
            .undone(version: version, tasks: tasks, deleted: outcome.deleted)
        )
    }

    private func error(
        _ conflict: UndoConflict, version: Int, task: ListTask?
    ) -> ServiceError {
        if case .interrupted = conflict { return .unavailable }
        return .undoConflict(conflict, version: version, tasks: .one(task))
    }
}

extension ServiceError {
    /// Whether the error is about the undo itself. Such an error is reported only if the request
    /// passes the checks on the current list.
    fileprivate var isAboutUndo: Bool {
        switch self {
        case .historyGone, .undoConflict, .undoOfTransfer: true
        default: false
        }
    }
}
