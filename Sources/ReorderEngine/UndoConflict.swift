/// The reason why a change can't be undone. The undo leaves the list unchanged.
package enum UndoConflict: Error, Sendable, Equatable {
    /// A task that the change moved, created or changed no longer exists.
    case taskGone(TaskID)
    /// A task differs from the change's result: undoing would also undo a later change.
    case taskChanged(TaskID)
    /// A task that the change created has subtasks now.
    case taskHasSubtasks(TaskID)
    /// The task's former parent or section no longer exists.
    case placeGone(TaskID)
    /// A task with the id of a deleted one exists again.
    case taskExists(TaskID)
    /// A rule of the list refuses the task's former state.
    case refused(TaskID, Refusal)
    case sectionGone(SectionID)
    case sectionChanged(SectionID)
    /// A section that the change created has tasks now.
    case sectionHasTasks(SectionID)
    /// A section with the id of a deleted one exists again.
    case sectionExists(SectionID)
    /// Moving the section back would displace locked rows.
    case sectionLocked(SectionID)
    /// A setting differs from the change's result.
    case settingsChanged
    /// The change replaced the whole list.
    case replaced
    /// The change has more operations than the limit; see ``UndoPlan``.
    case tooLarge(limit: Int)
    /// The caller interrupted the undo.
    case interrupted

    /// The task that causes the conflict.
    package var task: TaskID? {
        switch self {
        case .taskGone(let task), .taskChanged(let task), .taskHasSubtasks(let task),
            .placeGone(let task), .taskExists(let task), .refused(let task, _):
            task
        case .sectionGone, .sectionChanged, .sectionHasTasks, .sectionExists, .sectionLocked,
            .settingsChanged, .replaced, .tooLarge, .interrupted:
            nil
        }
    }
}
