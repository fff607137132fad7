import ReorderEngine
import ReorderJSON

extension ListCommand {
    /// Why a command was not done; the list is as it was.
    enum Failure: Error {
        case refused(Refusal)
        /// Merged, the task's data would be larger or deeper than they may be.
        case dataTooLarge
    }

    /// Does it, or throws and leaves the list as it was.
    func perform(on list: inout ReorderableList) throws(Failure) -> Performed {
        var update: TaskUpdate?
        if case .update(let task, let patch) = self {
            update = try patch.update(of: list.task(task))
        }
        do {
            return try perform(on: &list, update: update)
        } catch {
            throw .refused(error)
        }
    }

    private func perform(
        on list: inout ReorderableList, update: TaskUpdate?
    ) throws(Refusal) -> Performed {
        switch self {
        case .move(let request):
            let outcome = try list.move(request)
            let named: NamedTasks =
                if case .tasks = request.subject {
                    .several(outcome.tasks.compactMap { list.task($0) })
                } else {
                    .one(outcome.tasks.first.flatMap { list.task($0) })
                }
            return Performed(operations: outcome.operations, result: .moved(outcome, named))
        case .create(let content, let destination):
            let outcome = try list.create(content, at: destination)
            return Performed(
                operations: outcome.operations, inserted: [content.id],
                result: .created(list.task(content.id), placedBy: outcome.placedBy))
        case .update(let task, _):
            let operations = try list.update(task, update ?? TaskUpdate())
            return Performed(operations: operations, result: .updated(list.task(task)))
        case .collapse(let task, let collapsed):
            let outcome = try list.collapse(task, collapsed)
            return Performed(
                operations: outcome.operations,
                result: .collapsed(
                    list.task(task), rows: outcome.rows, shown: list.shown(outcome.rows)))
        case .delete(let task):
            let outcome = try list.delete(task)
            return Performed(
                operations: outcome.operations, deleted: outcome.deleted, result: .deleted)
        case .settings(let update):
            return Performed(operations: list.update(update), result: .settings)
        case .createSection(let section, let title, let position):
            let operations = try list.createSection(section, title: title, position: position)
            return Performed(
                operations: operations, result: .section(list.section(section), .create))
        case .renameSection(let section, let title):
            let operations = try list.renameSection(section, title: title)
            return Performed(
                operations: operations, result: .section(list.section(section), .rename))
        case .moveSection(let section, let position):
            let operations = try list.moveSection(section, position: position)
            return Performed(
                operations: operations, result: .section(list.section(section), .move))
        case .deleteSection(let section, let tasks):
            let outcome = try list.deleteSection(section, tasks: tasks)
            return Performed(
                operations: outcome.operations, deleted: outcome.deleted,
                result: .section(nil, .delete))
        }
    }
}

/// How much an expansion's response lists of the rows that it shows. A few bytes can ask for a whole list,
/// and with an `Idempotency-Key` the response is stored.
package enum ShownRows {
    package static let maximumTasks = 1_000
    /// Of UTF-8, in titles and `data`.
    package static let maximumBytes = 1 << 20
}

extension ReorderableList {
    /// The rows that an expansion brought; `nil` if none came, or more than a response lists.
    fileprivate func shown(_ rows: CollapseOutcome.RowsChange?) -> [ListTask]? {
        guard case .inserted(let start, let count)? = rows, count <= ShownRows.maximumTasks else {
            return nil
        }
        let shown = tasks(fromRow: start, limit: count)
        let bytes = shown.reduce(0) {
            $0 + $1.content.title.utf8.count + ($1.content.data?.utf8.count ?? 0)
        }
        return bytes <= ShownRows.maximumBytes ? shown : nil
    }
}

extension TaskPatch {
    /// The patch resolved against a task as it is.
    fileprivate func update(of task: ListTask?) throws(ListCommand.Failure) -> TaskUpdate {
        var update = TaskUpdate(title: title, done: done, locked: locked)
        guard let data else { return update }
        guard data != "null" else {
            update.data = .remove
            return update
        }
        // Both are texts that were checked before.
        guard let merged = try? MergePatch.apply(data, to: task?.content.data),
            FormLimits.allowsData(merged)
        else { throw .dataTooLarge }
        update.data = .set(merged)
        return update
    }
}
