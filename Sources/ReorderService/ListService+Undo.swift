import ReorderEngine
import ReorderJSON
import ReorderStore

/// The wish to take a change back.
package struct Undo: Sendable {
    package var version: Int
    /// The change, or why it can't be had; `nil`: it was not looked for yet.
    var change: Result<UndoneChange, ServiceError>?

    package init(version: Int) {
        self.version = version
    }
}

/// A change that is to be taken back, and the list as it was before.
struct UndoneChange: Sendable {
    var operations: [ListOperation]
    var before: ReorderableList
}

extension ListService {
    /// Finds the change that is to be taken back, and then takes it back.
    ///
    /// What the list was before it is not in the change: it is computed from the snapshot before it,
    /// as a list is loaded. So that costs as much as loading the list, and reaches back as far as the
    /// older of the two snapshots that a store keeps.
    func find(
        _ undo: Undo, _ request: WriteRequest, _ completion: @escaping Completion<WriteAnswer>
    ) {
        // Whatever was decided by now can be read from the store once it is durable.
        position(of: request.list) { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let position):
                undoing.async { [self] in
                    var request = request
                    var undo = undo
                    undo.change = Result { () throws(ServiceError) in
                        try change(undo.version, of: request.list, position)
                    }
                    request.action = .undo(undo)
                    write(request, completion)
                }
            }
        }
    }

    private func change(
        _ version: Int, of list: String, _ position: ListPosition
    ) throws(ServiceError) -> UndoneChange {
        let gone = ServiceError.historyGone(version: position.version)
        guard 1...max(1, position.version) ~= version else { throw gone }
        let snapshot: StoredSnapshot?
        let changes: [StoredChange]?
        do throws(StoreError) {
            snapshot = try store.snapshots(of: list).last { $0.version < version }
            let start = snapshot?.version ?? version - 1
            changes = try store.changes(of: list, after: start, limit: version - start)
        } catch {
            throw failure(error, list: list)
        }
        guard let changes, let last = changes.last, last.version == version else { throw gone }
        do {
            let change = try ChangeDocument(json: last.bytes)
            switch change.transfer {
            case .to(let other), .from(let other):
                throw ServiceError.undoOfTransfer(other: other, version: position.version)
            case nil: break
            }
            guard !change.operations.contains(.replace) else {
                throw ServiceError.undoConflict(
                    .replaced, version: position.version, tasks: .one(nil))
            }
            guard let snapshot else { throw gone }
            let content = StoredList.Content(
                snapshot: snapshot.bytes, snapshotVersion: snapshot.version,
                changes: changes.dropLast())
            return UndoneChange(
                operations: change.operations, before: try content.replayed())
        } catch let error as ServiceError {
            throw error
        } catch {
            logger.error(
                "version \(version) of list \(list) can't be read", metadata: ["error": "\(error)"])
            throw .unreadable
        }
    }

    /// Takes a change back that was found.
    func perform(
        _ undo: Undo, on list: LoadedList, _ state: inout LoadedList.State
    ) throws(Undecided) -> (Change, CommandResult) {
        let found: UndoneChange
        switch undo.change {
        case .success(let change): found = change
        case .failure(let error): throw .refused(error)
        case nil: throw .refused(.unavailable)
        }
        var copy = state.list
        let outcome: UndoOutcome
        do throws(UndoConflict) {
            outcome = try copy.undo(
                found.operations, before: found.before, isLast: state.version == undo.version)
        } catch {
            throw .refused(conflict(error, state))
        }
        if !outcome.inserted.isEmpty { try checkRoom(for: copy.count) }
        try checkRoom(forSections: copy.sectionCount, insteadOf: state.list)
        do {
            try claim(outcome.inserted, for: list)
        } catch {
            guard case .refused(.taskTaken(let task)) = error else { throw error }
            throw .refused(conflict(.taskExists(task), state))
        }
        state.list = copy
        let tasks = outcome.tasks.prefix(Self.tasksToldOfABatch + 1).compactMap { copy.task($0) }
        return (
            Change(
                operations: outcome.operations, inserted: outcome.inserted,
                deleted: outcome.deleted),
            .undone(
                version: undo.version,
                tasks: tasks.count > Self.tasksToldOfABatch ? nil : tasks,
                deleted: outcome.deleted)
        )
    }

    private func conflict(_ conflict: UndoConflict, _ state: LoadedList.State) -> ServiceError {
        .undoConflict(
            conflict, version: state.version,
            tasks: .one(conflict.task.flatMap { state.list.task($0) }))
    }
}
