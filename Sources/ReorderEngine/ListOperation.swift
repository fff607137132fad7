/// One step of a change in normal form: absolute, decided, and free of rules.
///
/// Applied one after another to any copy of the list as it was before, operations give the list as
/// it is after, with no other knowledge. They are what journals and other clients replay.
public enum ListOperation: Sendable, Equatable {
    /// The task and its subtree go to `position` among the children of `parent`, or at the top
    /// level of `section`. The position counts after the task is taken out.
    case move(task: TaskID, section: SectionID?, parent: TaskID?, position: Int)
    /// A new task at its placement; `row`, `depth` and `subtasks` of it are not read.
    case insert(ListTask)
    case update(task: TaskID, set: TaskUpdate)
    case collapse(task: TaskID, collapsed: Bool)
    /// The task and its subtree go.
    case delete(task: TaskID)
    case list(set: SettingsUpdate)
    /// A new, empty section at an index among the sections.
    case sectionInsert(section: SectionID, title: String, position: Int)
    case sectionUpdate(section: SectionID, title: String)
    /// The section and all its tasks go to an index among the sections, counted without it.
    case sectionMove(section: SectionID, position: Int)
    /// The section, which must be empty by now, goes.
    case sectionDelete(section: SectionID)
    /// Everything is new: the document has to be fetched again.
    case replace
}

/// Why an operation can't be applied: it was not made for this state of this list.
public enum OperationError: Error, Sendable, Equatable {
    case unknownTask(TaskID)
    case unknownSection(SectionID)
    case taskExists(TaskID)
    case sectionExists(SectionID)
    case sectionNotEmpty(SectionID)
    case positionOutOfRange(Int)
    case intoOwnSubtree(TaskID)
    case tooDeep(TaskID)
    case needsDocument
}

extension OperationError: CustomStringConvertible {
    /// What does not fit, as a phrase.
    public var description: String {
        switch self {
        case .unknownTask(let id): "there is no task \"\(id)\""
        case .unknownSection(let id): "there is no section \"\(id)\""
        case .taskExists(let id): "there is a task \"\(id)\" already"
        case .sectionExists(let id): "there is a section \"\(id)\" already"
        case .sectionNotEmpty(let id): "the section \"\(id)\" has tasks"
        case .positionOutOfRange(let position): "there is no position \(position)"
        case .intoOwnSubtree(let id): "task \"\(id)\" would be in its own subtree"
        case .tooDeep(let id): "task \"\(id)\" would be nested too deep"
        case .needsDocument: "the list was replaced as a whole"
        }
    }
}
