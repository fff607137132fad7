/// One operation of a change, in normal form: its values are absolute, and applying it checks no
/// rules.
///
/// Applying a change's operations in order to any copy of the list before the change gives the list
/// after it. The server replays them from the journal, and clients replay them on their copies.
package enum ListOperation: Sendable, Equatable {
    /// Moves the task and its subtree to `position` among the children of `parent`, or at the top
    /// level of `section`. The position is counted after the task is taken out.
    case move(task: TaskID, section: SectionID?, parent: TaskID?, position: Int)
    /// Inserts a task at its placement, with its times; its `row`, `depth` and `subtasks` are
    /// ignored.
    case insert(ListTask)
    case update(task: TaskID, set: TaskUpdate)
    case collapse(task: TaskID, collapsed: Bool)
    /// Deletes the task and its subtree.
    case delete(task: TaskID)
    case list(set: SettingsUpdate)
    /// Inserts an empty section at an index among the sections.
    case sectionInsert(
        section: SectionID, title: String, position: Int, data: String? = nil, maxTasks: Int? = nil)
    /// Gives the section this title, and changes its data unless `data` is nil.
    case sectionUpdate(
        section: SectionID, title: String, data: DataUpdate? = nil, maxTasks: LimitUpdate? = nil)
    /// Moves the section with its tasks to an index among the other sections.
    case sectionMove(section: SectionID, position: Int)
    /// Deletes the section, which must be empty.
    case sectionDelete(section: SectionID)
    /// The list was replaced: the document has to be fetched.
    case replace
}

extension ListOperation {
    /// The same operation on a list in which tasks have other ids.
    func renamingTasks(_ ids: [TaskID: TaskID]) -> ListOperation {
        func new(_ id: TaskID) -> TaskID { ids[id] ?? id }
        switch self {
        case .move(let task, let section, let parent, let position):
            return .move(
                task: new(task), section: section, parent: parent.map(new), position: position)
        case .insert(var task):
            task.content.id = new(task.id)
            task.placement.parent = task.placement.parent.map(new)
            return .insert(task)
        case .update(let task, let set): return .update(task: new(task), set: set)
        case .collapse(let task, let collapsed):
            return .collapse(task: new(task), collapsed: collapsed)
        case .delete(let task): return .delete(task: new(task))
        case .list, .sectionInsert, .sectionUpdate, .sectionMove, .sectionDelete, .replace:
            return self
        }
    }
}

/// The reason why an operation can't be applied: it does not fit this state of the list.
package enum OperationError: Error, Sendable, Equatable {
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
    /// The mismatch, as a phrase.
    package var description: String {
        switch self {
        case .unknownTask(let id): "the task \"\(id)\" does not exist"
        case .unknownSection(let id): "the section \"\(id)\" does not exist"
        case .taskExists(let id): "the task \"\(id)\" already exists"
        case .sectionExists(let id): "the section \"\(id)\" already exists"
        case .sectionNotEmpty(let id): "the section \"\(id)\" has tasks"
        case .positionOutOfRange(let position): "the position \(position) does not exist"
        case .intoOwnSubtree(let id): "the task \"\(id)\" would be in its own subtree"
        case .tooDeep(let id): "the task \"\(id)\" would be nested too deeply"
        case .needsDocument: "the list was replaced as a whole"
        }
    }
}
