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
        default: return nil
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
