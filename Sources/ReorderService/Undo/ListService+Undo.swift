import ReorderEngine
import ReorderJSON
import ReorderStore

extension ListService {
    /// The plan for undoing a change, or why that is not possible whatever the current list is. A thread
    /// of `undos` makes it. It cannot become outdated, because the change and the states before it never
    /// change.
    func undoPlan(
        _ version: Int, of list: String, _ context: RequestContext
    ) throws(ServiceError) -> Result<UndoPlan, ServiceError> {
        if context.progress.undoPermit == nil {
            context.progress.undoPermit = try undos.admit(list)
        }
        let current = try context.once(\.undoBase) { () throws(ServiceError) in
            try snapshot(of: list, context).version
        }
        do throws(ServiceError) {
            return .success(
                try context.wait(for: \.undoPlan) { reply throws(ServiceError) in
                    try undos.run(of: list) { [self] mayBegin in
                        reply.fill(
                            Result { () throws(ServiceError) in
                                guard mayBegin else { throw .unavailable }
                                return try plan(version, of: list, at: current)
                            })
                    }
                })
        } catch {
            guard error.isAboutUndo else { throw error }
            return .failure(error)
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
