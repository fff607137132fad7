import ReorderEngine
import ReorderJSON

extension Intent {
    /// Why an intent can't be applied.
    enum Failure: Error, Equatable {
        case refused(Refusal)
        /// After the merge, the task's data would exceed the limits of size or nesting.
        case dataTooLarge
    }

    /// Applies the intent as the server would, or throws and leaves the list unchanged.
    ///
    /// - Returns: the resulting operations, in normal form.
    func apply(to list: inout ReorderableList) throws(Failure) -> [ListOperation] {
        do {
            switch self {
            case .move(let request): return try list.move(request).operations
            case .create(let content, let destination):
                return try list.create(content, at: destination).operations
            case .update(let task, let changes):
                guard let update = changes.update(of: list.task(task)?.content) else {
                    throw Failure.dataTooLarge
                }
                return try list.update(task, update)
            case .collapse(let task, let collapsed):
                return try list.collapse(task, collapsed).operations
            case .delete(let task): return try list.delete(task).operations
            case .settings(let update): return list.update(update)
            case .createSection(let section, let title, let position):
                return try list.createSection(section, title: title, position: position)
            case .renameSection(let section, let title):
                return try list.renameSection(section, title: title)
            case .moveSection(let section, let position):
                return try list.moveSection(section, position: position)
            case .deleteSection(let section, let tasks):
                return try list.deleteSection(section, tasks: tasks).operations
            }
        } catch let refusal as Refusal {
            throw .refused(refusal)
        } catch {
            throw .dataTooLarge
        }
    }
}

extension TaskChanges {
    /// The update for a task with this content; nil if its data would become too large.
    fileprivate func update(of content: TaskContent?) -> TaskUpdate? {
        var update = TaskUpdate(title: title, done: done, locked: locked)
        guard let data else { return update }
        guard data != "null" else {
            update.data = .remove
            return update
        }
        guard let merged = try? MergePatch.apply(data, to: content?.data),
            FormLimits.allowsData(merged)
        else { return nil }
        update.data = .set(merged)
        return update
    }
}
