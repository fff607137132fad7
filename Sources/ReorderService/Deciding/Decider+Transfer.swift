import ReorderEngine
import ReorderJSON

extension Decider {
    /// Moves tasks into another list, with one commit for both lists. If it throws, both are
    /// unchanged.
    func transfer(
        _ move: MoveRequest, from source: inout WorkingList, to target: inout WorkingList,
        isDryRun: Bool
    ) throws(Interruption) -> WriteEffects {
        let version = source.version
        var (left, entered) = (source.list, target.list)
        let outcome: TransferOutcome
        do {
            outcome = try left.transfer(move, to: &entered)
        } catch {
            let tasks = NamedTasks(move.subject, in: source.list)
            throw .refused(.refused(error, version: version, tasks: tasks))
        }
        guard entered.count <= limits.tasksPerList else {
            let tasks = NamedTasks(move.subject, in: source.list)
            throw .refused(
                .targetListFull(limit: limits.tasksPerList, version: version, tasks: tasks))
        }
        source.list = left
        target.list = entered
        return effects(of: outcome, source, target, isDryRun: isDryRun) { target in
            .transferred(outcome, isBlock: move.subject.isBlock, to: target)
        }
    }

    /// Moves a section with its tasks into another list, with one commit for both lists. If it throws, both
    /// are unchanged.
    func transfer(
        section: SectionID, from source: inout WorkingList, to target: inout WorkingList,
        at position: Int?, isUndo: Bool, isDryRun: Bool
    ) throws(Interruption) -> WriteEffects {
        try checkRoom(forSections: target.list.sectionCount + 1, insteadOf: target.list)
        var (left, entered) = (source.list, target.list)
        let outcome: TransferOutcome
        do {
            outcome = try left.transfer(
                section: section, to: &entered, position: position, isUndo: isUndo)
        } catch {
            throw .refused(.refused(error, version: source.version, tasks: .one(nil)))
        }
        guard entered.count <= limits.tasksPerList else {
            throw .refused(
                .targetListFull(
                    limit: limits.tasksPerList, version: source.version, tasks: .one(nil)))
        }
        source.list = left
        target.list = entered
        return effects(of: outcome, source, target, isDryRun: isDryRun) { target in
            .sectionTransferred(entered.section(section), to: target)
        }
    }

    private func effects(
        of outcome: TransferOutcome, _ source: WorkingList, _ target: WorkingList, isDryRun: Bool,
        _ result: (ListVersion) -> CommandResult
    ) -> WriteEffects {
        let version = target.version + (isDryRun ? 0 : 1)
        return WriteEffects(
            change: Change(
                operations: outcome.departure, deleted: outcome.moved, transfer: .to(target.id)),
            otherChange: Change(
                operations: outcome.arrival, inserted: outcome.moved, transfer: .from(source.id)),
            result: result(ListVersion(list: target.id, version: version)))
    }
}

extension MoveRequest.Subject {
    /// The number of tasks in an array; 0 if the request names a single task.
    var namedCount: Int {
        switch self {
        case .tasks(let tasks): tasks.count
        case .rows(let rows): rows.count
        case .task, .row, .path: 0
        }
    }
}
