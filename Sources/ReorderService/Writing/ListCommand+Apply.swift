import ReorderEngine
import ReorderJSON

extension ListCommand {
    /// Applies the command, or throws and leaves the list unchanged.
    ///
    /// - Parameter version: the list's version.
    func apply(
        to list: inout ReorderableList, version: Int
    ) throws(ServiceError) -> (Change, CommandResult) {
        var update: TaskUpdate?
        if case .update(let task, let patch) = self {
            update = try patch.update(of: list.task(task))
        }
        do {
            return try apply(to: &list, update: update)
        } catch {
            throw .refused(error, version: version, tasks: namedTasks(in: list))
        }
    }

    private func apply(
        to list: inout ReorderableList, update: TaskUpdate?
    ) throws(Refusal) -> (Change, CommandResult) {
        switch self {
        case .move(let request):
            let outcome = try list.move(request)
            return (
                Change(operations: outcome.operations),
                .moved(outcome, isBlock: request.subject.isBlock)
            )
        case .create(let content, let destination):
            let outcome = try list.create(content, at: destination)
            return (
                Change(operations: outcome.operations, inserted: [content.id]),
                .created(list.task(content.id), placedBy: outcome.placedBy)
            )
        case .update(let task, _):
            let operations = try list.update(task, update ?? TaskUpdate())
            return (Change(operations: operations), .updated(list.task(task)))
        case .collapse(let task, let collapsed):
            let outcome = try list.collapse(task, collapsed)
            let shown = list.shown(outcome.rows)
            return (
                Change(operations: outcome.operations),
                .collapsed(list.task(task), rows: outcome.rows, shown: shown)
            )
        case .delete(let task):
            let outcome = try list.delete(task)
            return (
                Change(operations: outcome.operations, deleted: outcome.deleted), .deleted
            )
        case .settings(let update):
            return (Change(operations: list.update(update)), .settings)
        case .createSection(let section, let title, let position):
            let operations = try list.createSection(section, title: title, position: position)
            return (Change(operations: operations), .section(list.section(section), .create))
        case .renameSection(let section, let title):
            let operations = try list.renameSection(section, title: title)
            return (Change(operations: operations), .section(list.section(section), .rename))
        case .moveSection(let section, let position):
            let operations = try list.moveSection(section, position: position)
            return (Change(operations: operations), .section(list.section(section), .move))
        case .deleteSection(let section, let tasks):
            let outcome = try list.deleteSection(section, tasks: tasks)
            return (
                Change(operations: outcome.operations, deleted: outcome.deleted),
                .section(nil, .delete)
            )
        }
    }
}

/// Limits the rows in the response to an expansion. Without a limit, a small request could return a
/// whole list, and with an `Idempotency-Key` that response would be stored.
package enum ShownRows {
    package static let maximumTasks = 1_000
    /// The bytes of titles and `data` in UTF-8.
    package static let maximumBytes = 1 << 20
}

extension TaskContent {
    /// The bytes of the title and `data` in UTF-8.
    var byteCount: Int { title.utf8.count + (data?.utf8.count ?? 0) }
}

extension ReorderableList {
    /// The rows that an expansion made visible; nil if there are none, or more than the limit.
    fileprivate func shown(_ rows: CollapseOutcome.RowsChange?) -> [ListTask]? {
        guard case .inserted(let start, let count)? = rows, count <= ShownRows.maximumTasks else {
            return nil
        }
        let shown = tasks(fromRow: start, limit: count)
        let bytes = shown.reduce(0) { $0 + $1.content.byteCount }
        return bytes <= ShownRows.maximumBytes ? shown : nil
    }
}

extension TaskPatch {
    /// Resolves the patch against the current task.
    fileprivate func update(of task: ListTask?) throws(ServiceError) -> TaskUpdate {
        var update = TaskUpdate(title: title, done: done, locked: locked)
        guard let data else { return update }
        guard data != "null" else {
            update.data = .remove
            return update
        }
        // Both texts were validated before.
        guard let merged = try? MergePatch.apply(data, to: task?.content.data),
            FormLimits.allowsData(merged)
        else { throw .dataTooLarge }
        update.data = .set(merged)
        return update
    }
}
