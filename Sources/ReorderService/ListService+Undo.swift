import ReorderEngine
import ReorderJSON
import ReorderStore

extension ListService {
    /// Makes the plan for undoing a change, or finds why that is not possible whatever the current list
    /// is. A thread of `undos` makes it. It cannot become outdated, because the change and the states
    /// before it never change.
    func planUndo(
        of version: Int, in list: String,
        _ done: @escaping Completion<Result<UndoPlan, ServiceError>>
    ) {
        let planned: Completion<UndoPlan> = { plan in
            if case .failure(let error) = plan, !error.isAboutUndo {
                done(.failure(error))
            } else {
                done(.success(plan))
            }
        }
        find(
            list,
            continuing(planned) { [self] current in
                undos.run(of: list, planned) { [self] () throws(ServiceError) in
                    try plan(version, of: list, at: current.version)
                }
            })
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
        var content: LoadedList.Content?
        let changes: [StoredChange]?
        do throws(StoreError) {
            let snapshot = try store.snapshots(of: list).last { $0.version < version }
            let start = snapshot?.version ?? version - 1
            changes = try store.changes(of: list, after: start, limit: version - start)
            content = snapshot.map { snapshot in
                LoadedList.Content(
                    snapshot: snapshot.bytes, snapshotVersion: snapshot.version,
                    changes: changes?.dropLast() ?? [])
            }
        } catch {
            throw durable.failure(error, list: list)
        }
        guard let last = changes?.last, last.version == version else { throw gone }
        do {
            let change = try ChangeDocument(json: last.bytes)
            if change.transfer != nil { throw ServiceError.undoOfTransfer(version: current) }
            guard !change.operations.contains(.replace) else { throw UndoConflict.replaced }
            guard change.operations.count <= limits.undos.operations else {
                throw UndoConflict.tooLarge(limit: limits.undos.operations)
            }
            guard var before = try content?.replayed() else { throw gone }
            content = nil
            before.changeStamp = change.stamp
            return try UndoPlan(
                change.operations, before: before, limit: limits.undos.operations
            ) { undos.mayContinue }
        } catch let error as ServiceError {
            throw error
        } catch let conflict as UndoConflict {
            if case .interrupted = conflict { throw .unavailable }
            throw .undoConflict(conflict, version: current, tasks: .one(nil))
        } catch {
            logger.error(
                "version \(version) of list \(list) can't be read", metadata: ["error": "\(error)"])
            throw .unreadable
        }
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
