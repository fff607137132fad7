/// The reason for refusing a request. A refused request changes nothing.
public enum Refusal: Error, Sendable, Equatable {
    /// The list does not contain a task with this id.
    case taskNotFound(TaskID)
    /// The list does not contain a section with this id.
    case sectionNotFound(SectionID)
    /// The list contains a task or a section with this id already.
    case idTaken(String)
    /// None of the request's destinations exists.
    case anchorGone
    /// The move names a row that the list does not have. The list has `count` visible rows.
    case rowNotFound(Int, count: Int)
    /// The move names a section for a row that is not in it. In the section, the moved task can have
    /// one of `rows`.
    case rowNotInSection(Int, SectionID?, rows: ClosedRange<Int>)
    /// The move names a level that is not possible between the rows there. `levels` are possible.
    case levelNotPossible(Int, levels: ClosedRange<Int>)
    /// The task would be inside its own subtree.
    case cycle
    /// A locked row would be moved, deleted, or displaced.
    case locked
    /// The list only allows moves among siblings.
    case notSiblings
    /// A task would have more than 15 ancestors.
    case depthLimit
    /// A task would be below the list's last level (`maxDepth`).
    case maxDepth
    /// The section would have more top-level tasks than the list allows (`maxTasksPerSection`, or its own `maxTasks`).
    case sectionFull
    /// A task would have more direct subtasks than the list allows (`tasksPerParent`).
    case parentFull
}
