/// Why a change can't be taken back. The list is as it was before.
public enum UndoConflict: Error, Sendable, Equatable {
    /// A task that the change moved, made or changed is not in the list any more.
    case taskGone(TaskID)
    /// A task is not what the change made of it: taking it back would undo what came later.
    case taskChanged(TaskID)
    /// A task that the change made has subtasks by now.
    case taskHasSubtasks(TaskID)
    /// The parent or the section is gone in which the task stood.
    case placeGone(TaskID)
    /// There is a task of the id of a deleted one again.
    case taskExists(TaskID)
    /// A rule of the list says no to what taking back would do with the task.
    case refused(TaskID, Refusal)
    case sectionGone(SectionID)
    case sectionChanged(SectionID)
    /// A section that the change made has tasks by now.
    case sectionHasTasks(SectionID)
    /// There is a section of the id of a deleted one again.
    case sectionExists(SectionID)
    /// Moved back, the section would displace locked rows.
    case sectionLocked(SectionID)
    /// A setting is not what the change made of it.
    case settingsChanged
    /// The change replaced the list as a whole.
    case replaced
    /// The change has more operations than may be undone; see ``UndoPlan``.
    case tooLarge(limit: Int)
    /// The caller stopped the undo before it was finished.
    case interrupted

    /// The task that stands in the way.
    public var task: TaskID? {
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
