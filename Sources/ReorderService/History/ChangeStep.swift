import ReorderEngine

/// The effect of an operation, with the titles that tasks and sections had then, so that a person can
/// understand it.
package struct ChangeStep: Sendable {
    package let operation: ListOperation
    /// The title of the task, section or list: after the change, or before a deletion; nil if it is
    /// not known any more.
    package private(set) var title: String?
    /// The title before the change, if the change gave a new one.
    package private(set) var oldTitle: String?
    /// The task's place before a move or a deletion.
    package private(set) var from: TitledPlace?
    /// The task's place after a move or an insertion.
    package private(set) var to: TitledPlace?

    /// A place in the list, in titles.
    package struct TitledPlace: Sendable, Equatable {
        /// nil for tasks without a section.
        package var section: String?
        /// nil at the top level.
        package var parent: String?
        /// The sibling directly above; nil if the task is the first.
        package var below: String?
    }

    /// - Parameters:
    ///   - before: the list before the change, and `after`: the list after it; nil if they are not
    ///     stored any more.
    ///   - current: the list now, which is asked for titles if the others are not stored.
    init(
        _ operation: ListOperation, before: ReorderableList?, after: ReorderableList?,
        current: ReorderableList?
    ) {
        self.operation = operation
        switch operation {
        case .move(let task, _, _, _):
            title = Self.title(of: task, after, before, current)
            from = before?.titles(around: task)
            to = after?.titles(around: task)
        case .insert(let inserted):
            title = inserted.content.title
            to = after?.titles(around: inserted.id)
        case .update(let task, let set):
            title = set.title ?? Self.title(of: task, after, before, current)
            if set.title != nil { oldTitle = before?.task(task)?.content.title }
        case .collapse(let task, _):
            title = Self.title(of: task, after, before, current)
        case .delete(let task):
            title = Self.title(of: task, before, current)
            from = before?.titles(around: task)
        case .list(let set):
            title = set.title ?? (after ?? current)?.settings.title
            if set.title != nil { oldTitle = before?.settings.title }
        case .sectionInsert(_, let title, _, _, _):
            self.title = title
        case .sectionUpdate(let section, let title, _, _):
            self.title = title
            let old = before?.section(section)?.title
            if old != title { oldTitle = old }
        case .sectionMove(let section, _):
            title = (after ?? current)?.section(section)?.title
        case .sectionDelete(let section):
            title = (before ?? current)?.section(section)?.title
        case .replace:
            title = (after ?? before ?? current)?.settings.title
        }
    }
}

extension ChangeStep {
    /// The title of a task in the first list that has it.
    private static func title(of task: TaskID, _ lists: ReorderableList?...) -> String? {
        lists.lazy.compactMap { $0?.task(task)?.content.title }.first
    }
}

extension ReorderableList {
    fileprivate func titles(around task: TaskID) -> ChangeStep.TitledPlace? {
        guard let place = placement(of: task) else { return nil }
        return ChangeStep.TitledPlace(
            section: place.section.flatMap { section($0)?.title },
            parent: place.parent.flatMap { self.task($0)?.content.title },
            below: self.task(
                section: place.section, parent: place.parent, position: place.position - 1)?
                .content.title)
    }
}
