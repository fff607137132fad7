import ReorderEngine

extension Decider {
    /// Undoes a change. Tasks that come back get new ids if their own are in use in other lists.
    ///
    /// - Parameters:
    ///   - planned: the plan, or why the undo is not possible, whatever the current list is.
    ///   - version: the version after the change.
    func undo(
        _ planned: Result<UndoPlan, ServiceError>?, of version: Int, on list: inout WorkingList,
        _ host: some DecisionHost
    ) throws(Interruption) -> (Change, CommandResult) {
        let plan: UndoPlan
        switch planned {
        case nil: throw .refused(.unavailable)
        case .failure(let error): throw .refused(error)
        case .success(let made): plan = made
        }
        var (undone, outcome) = try undo(plan, of: version, on: list)
        let newIDs = try newIDs(for: outcome.inserted, in: list.id, host)
        if !newIDs.isEmpty {
            (undone, outcome) = try undo(plan.renamingTasks(newIDs), of: version, on: list)
        }
        if !outcome.inserted.isEmpty { try checkRoom(for: undone.count) }
        try checkRoom(forSections: undone.sectionCount, insteadOf: list.list)
        list.list = undone
        let tasks = outcome.tasks.prefix(Self.maximumBatchTasks + 1).compactMap { undone.task($0) }
        return (
            Change(
                operations: outcome.operations, inserted: outcome.inserted,
                deleted: outcome.deleted),
            .undone(
                version: version, tasks: tasks.count > Self.maximumBatchTasks ? nil : tasks,
                deleted: outcome.deleted, newIDs: newIDs)
        )
    }

    private func undo(
        _ plan: UndoPlan, of version: Int, on list: WorkingList
    ) throws(Interruption) -> (ReorderableList, UndoOutcome) {
        var undone = list.list
        do throws(UndoConflict) {
            let outcome = try undone.undo(
                plan, isLast: list.version == version, while: mayContinue)
            return (undone, outcome)
        } catch {
            throw .refused(Self.error(error, in: list))
        }
    }

    private static func error(_ conflict: UndoConflict, in list: WorkingList) -> ServiceError {
        if case .interrupted = conflict { return .unavailable }
        return .undoConflict(
            conflict, version: list.version,
            tasks: .one(conflict.task.flatMap { list.list.task($0) }))
    }
}
