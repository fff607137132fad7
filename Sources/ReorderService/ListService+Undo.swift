import Dispatch
import ReorderEngine
import ReorderJSON
import ReorderStore
import Synchronization

/// The request to undo a change.
package struct Undo: Sendable {
    package var version: Int
    var progress = Progress.requested

    package init(version: Int) {
        self.version = version
    }

    enum Progress: Sendable {
        case requested
        /// It is not possible, whatever the list is now.
        case refused(ServiceError)
        /// To be computed under the list's lock.
        case planned(UndoPlan)
        case computed(ComputedUndo)
    }
}

/// A list after an undo, computed on a copy.
struct ComputedUndo: Sendable {
    /// The version of the copy, which was durable. So only one list ever has it.
    var version: Int
    var result:
        Result<(list: ReorderableList, outcome: UndoOutcome, tasks: [ListTask]?), UndoConflict>
}

extension ListService {
    /// Undoes a change on a thread of `undos`.
    func undo(
        _ undo: Undo, _ request: WriteRequest, _ completion: @escaping Completion<WriteAnswer>
    ) {
        do throws(ServiceError) {
            try undos.run(of: request.list) { [self] mayBegin in
                completion(mayBegin ? self.undo(undo.version, request) : .failure(.unavailable))
            }
        } catch {
            completion(.failure(error))
        }
    }

    /// Undoes a change, and waits until that is durable.
    ///
    /// It is computed on a copy of the list, without its lock, and takes effect if the list has not
    /// changed meanwhile; otherwise it is computed again.
    private func undo(_ version: Int, _ request: WriteRequest) -> Result<WriteAnswer, ServiceError>
    {
        let plan: UndoPlan
        do throws(ServiceError) {
            // What is decided by now can be read from the store once it is durable.
            let current = try currentSnapshot(of: request.list).version
            plan = try self.plan(version, of: request.list, at: current)
        } catch {
            guard undos.mayContinue else { return .failure(.unavailable) }
            return write(request, .refused(error), version)
        }
        for _ in 0..<Self.mostOvertakenUndos {
            let computed: ComputedUndo
            do throws(ServiceError) {
                let snapshot = try currentSnapshot(of: request.list)
                computed = compute(plan, version, on: snapshot.list, at: snapshot.version)
                guard undos.mayContinue else { throw .unavailable }
            } catch {
                return .failure(error)
            }
            let result = write(request, .computed(computed), version)
            guard case .failure(.undoOvertaken) = result else { return result }
        }
        guard plan.operationCount <= Self.smallUndo else { return .failure(.undoOvertaken) }
        return write(request, .planned(plan), version)
    }

    /// How often an undo is computed on a copy.
    static let mostOvertakenUndos = 3
    /// An undo of at most so many operations is computed under the list's lock in the end: that takes
    /// milliseconds.
    static let smallUndo = 1_000

    private func write(
        _ request: WriteRequest, _ progress: Undo.Progress, _ version: Int
    ) -> Result<WriteAnswer, ServiceError> {
        var undo = Undo(version: version)
        undo.progress = progress
        var request = request
        request.action = .undo(undo)
        do throws(ServiceError) {
            return .success(
                try waiting { (completion: @escaping Completion<WriteAnswer>) in
                    write(request, completion)
                })
        } catch {
            return .failure(error)
        }
    }

    private func currentSnapshot(of list: String) throws(ServiceError) -> ListSnapshot {
        try waiting { (completion: @escaping Completion<ListSnapshot>) in
            snapshot(of: list, completion)
        }
    }

    /// Blocks until a request is answered. On a thread of `undos` only.
    private func waiting<Value: Sendable>(
        _ request: (@escaping Completion<Value>) -> Void
    ) throws(ServiceError) -> Value {
        let came = DispatchSemaphore(value: 0)
        let answer = Answer<Value>()
        request { result in
            answer.result.withLock { $0 = result }
            came.signal()
        }
        came.wait()
        guard let result = answer.result.withLock(\.self) else { throw .unavailable }
        return try result.get()
    }

    private final class Answer<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, ServiceError>?>(nil)
    }

    /// Reads a change from the store, and what undoing it needs.
    ///
    /// What the list was before a change is not in the change: it is computed from the snapshot before
    /// it, as a list is loaded. So this costs as much as loading the list, and reaches back as far as
    /// the older of the two snapshots that a store keeps.
    private func plan(
        _ version: Int, of list: String, at current: Int
    ) throws(ServiceError) -> UndoPlan {
        let gone = ServiceError.historyGone(version: current)
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
            guard let before = try content?.replayed() else { throw gone }
            content = nil
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

    /// Computes an undo on a copy of the list at a version that is durable.
    func compute(
        _ plan: UndoPlan, _ undone: Int, on list: ReorderableList, at version: Int
    ) -> ComputedUndo {
        var copy = list
        do throws(UndoConflict) {
            let outcome = try copy.undo(plan, isLast: version == undone) { undos.mayContinue }
            let tasks = outcome.tasks.prefix(Self.tasksToldOfABatch + 1).compactMap {
                copy.task($0)
            }
            let told = tasks.count > Self.tasksToldOfABatch ? nil : tasks
            return ComputedUndo(version: version, result: .success((copy, outcome, told)))
        } catch {
            return ComputedUndo(version: version, result: .failure(error))
        }
    }

    /// Puts the list after the undo in the place of the list. Under its lock.
    func perform(
        _ undo: Undo, on list: LoadedList, _ state: inout LoadedList.State
    ) throws(Undecided) -> (Change, CommandResult) {
        let computed: ComputedUndo
        switch undo.progress {
        case .requested: throw .refused(.unavailable)
        case .refused(let error): throw .refused(error)
        case .planned(let plan):
            computed = compute(plan, undo.version, on: state.list, at: state.version)
        case .computed(let undo):
            guard undo.version == state.version else { throw .refused(.undoOvertaken) }
            computed = undo
        }
        let (copy, outcome, tasks): (ReorderableList, UndoOutcome, [ListTask]?)
        do throws(UndoConflict) {
            (copy, outcome, tasks) = try computed.result.get()
        } catch {
            throw .refused(
                self.error(
                    error, version: state.version, task: error.task.flatMap { state.list.task($0) })
            )
        }
        if !outcome.inserted.isEmpty { try checkRoom(for: copy.count) }
        try checkRoom(forSections: copy.sectionCount, insteadOf: state.list)
        do {
            try claim(outcome.inserted, for: list)
        } catch {
            guard case .refused(.taskTaken(let task)) = error else { throw error }
            throw .refused(
                self.error(
                    .taskExists(task), version: state.version, task: state.list.task(task)))
        }
        state.list = copy
        return (
            Change(
                operations: outcome.operations, inserted: outcome.inserted,
                deleted: outcome.deleted),
            .undone(version: undo.version, tasks: tasks, deleted: outcome.deleted)
        )
    }

    private func error(
        _ conflict: UndoConflict, version: Int, task: ListTask?
    ) -> ServiceError {
        if case .interrupted = conflict { return .unavailable }
        return .undoConflict(conflict, version: version, tasks: .one(task))
    }
}
