/// The reason for refusing a request. A refused request changes nothing.
public enum Refusal: Error, Sendable, Equatable {
    case taskNotFound(TaskID)
    case sectionNotFound(SectionID)
    /// The list already holds a task or a section of this id.
    case idTaken(String)
    /// No destination of the request exists any more.
    case anchorGone
    /// A move names a visible row that the list does not have; `count` rows are visible.
    case rowNotFound(Int, count: Int)
    /// The task would come to stand inside its own subtree.
    case cycle
    /// A locked row would be moved, deleted, or displaced.
    case locked
    /// The list lets tasks move among their siblings only.
    case notSiblings
    /// Some task would have more than 15 ancestors.
    case depthLimit
}
