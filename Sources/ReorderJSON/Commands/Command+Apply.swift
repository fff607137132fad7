import ReorderEngine

extension Command {
    /// Why a command can't be applied.
    package enum Failure: Error, Sendable, Equatable {
        case refused(Refusal)
        /// After the merge with the patch, the data would exceed the limits of size or nesting.
        case dataTooLarge(ofSection: Bool)
    }

    /// What a command did.
    package struct Outcome: Sendable {
        /// The change in normal form; empty if nothing changed.
        package var operations: [ListOperation]
        /// The tasks that the list contains now, and did not contain before.
        package var inserted: [TaskID] = []
        /// The tasks that the list does not contain any more.
        package var deleted: [TaskID] = []
        package var detail = Detail.none

        package enum Detail: Sendable {
            case none
            /// `isBlock`: whether the command named an array of tasks.
            case moved(MoveOutcome, isBlock: Bool)
            case created(TaskID, placedBy: PlacedBy)
            case updated(TaskID)
            /// `rows`: the visible rows that were removed or inserted.
            case collapsed(TaskID, rows: CollapseOutcome.RowsChange?)
            case section(SectionID, isNew: Bool)
        }
    }

    /// Applies the command, or throws and leaves the list unchanged.
    package func apply(to list: inout ReorderableList) throws(Failure) -> Outcome {
        let data = try data(mergedIn: list)
        do {
            return try apply(to: &list, data)
        } catch {
            throw .refused(error)
        }
    }

    private func apply(
        to list: inout ReorderableList, _ data: DataUpdate?
    ) throws(Refusal) -> Outcome {
        switch self {
        case .move(let request):
            let moved = try list.move(request)
            return Outcome(
                operations: moved.operations,
                detail: .moved(moved, isBlock: request.subject.isBlock))
        case .create(let content, let destination):
            let created = try list.create(content, at: destination)
            return Outcome(
                operations: created.operations, inserted: [content.id],
                detail: .created(content.id, placedBy: created.placedBy))
        case .update(let task, var update):
            update.data = data
            return Outcome(operations: try list.update(task, update), detail: .updated(task))
        case .collapse(let task, let collapsed):
            let outcome = try list.collapse(task, collapsed)
            return Outcome(
                operations: outcome.operations, detail: .collapsed(task, rows: outcome.rows))
        case .delete(let task):
            let outcome = try list.delete(task)
            return Outcome(operations: outcome.operations, deleted: outcome.deleted)
        case .settings(var update):
            update.data = data
            return Outcome(operations: list.update(update))
        case .createSection(let section, let title, let position, let data, let maxTasks):
            return Outcome(
                operations: try list.createSection(
                    section, title: title, position: position, data: data, maxTasks: maxTasks),
                detail: .section(section, isNew: true))
        case .updateSection(let section, let update):
            return Outcome(
                operations: try list.updateSection(
                    section, title: update.title, data: data, maxTasks: update.maxTasks),
                detail: .section(section, isNew: false))
        case .moveSection(let section, let position):
            return Outcome(
                operations: try list.moveSection(section, position: position),
                detail: .section(section, isNew: false))
        case .deleteSection(let section, let tasks):
            let outcome = try list.deleteSection(section, tasks: tasks)
            return Outcome(operations: outcome.operations, deleted: outcome.deleted)
        }
    }

    /// The new data of the task, the section or the list; nil if it does not change.
    private func data(mergedIn list: ReorderableList) throws(Failure) -> DataUpdate? {
        switch self {
        case .update(let task, let update):
            return try update.data?.merged(
                into: list.task(task)?.content.data, ofSection: false)
        case .settings(let update):
            return try update.data?.merged(into: list.settings.data, ofSection: false)
        case .updateSection(let section, let update):
            return try update.data?.merged(into: list.section(section)?.data, ofSection: true)
        case .move, .create, .collapse, .delete, .createSection, .moveSection, .deleteSection:
            return nil
        }
    }
}

extension DataUpdate {
    /// What a merge patch makes of the current data.
    fileprivate func merged(
        into current: String?, ofSection: Bool
    ) throws(Command.Failure) -> DataUpdate {
        guard case .set(let patch) = self else { return .remove }
        // Both texts were validated before.
        guard let merged = try? MergePatch.apply(patch, to: current), FormLimits.allowsData(merged)
        else { throw .dataTooLarge(ofSection: ofSection) }
        return .set(merged)
    }
}
