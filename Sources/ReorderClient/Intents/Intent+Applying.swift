import ReorderEngine
import ReorderJSON

extension Intent {
    /// Why an intent can't be applied.
    enum Failure: Error, Equatable {
        case refused(Refusal)
        /// After the merge, the data would exceed the limits of size or nesting.
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
                let data = try changes.data.map {
                    try DataUpdate(merging: $0, into: list.task(task)?.content.data)
                }
                return try list.update(
                    task,
                    TaskUpdate(
                        title: changes.title, done: changes.done, locked: changes.locked,
                        data: data))
            case .collapse(let task, let collapsed):
                return try list.collapse(task, collapsed).operations
            case .delete(let task): return try list.delete(task).operations
            case .settings(var update, let patch):
                if let patch {
                    update.data = try DataUpdate(merging: patch, into: list.settings.data)
                }
                return list.update(update)
            case .createSection(let section, let title, let position, let data, let maxTasks):
                return try list.createSection(
                    section, title: title, position: position, data: data, maxTasks: maxTasks)
            case .updateSection(let section, let title, let patch, let maxTasks):
                let update = try patch.map {
                    try DataUpdate(merging: $0, into: list.section(section)?.data)
                }
                return try list.updateSection(
                    section, title: title, data: update, maxTasks: maxTasks)
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

extension DataUpdate {
    /// Resolves a merge patch against the current data.
    fileprivate init(merging patch: String, into data: String?) throws(Intent.Failure) {
        guard patch != "null" else {
            self = .remove
            return
        }
        guard let merged = try? MergePatch.apply(patch, to: data), FormLimits.allowsData(merged)
        else { throw .dataTooLarge }
        self = .set(merged)
    }
}
