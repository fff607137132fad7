import ReorderEngine
import ReorderJSON

extension ListCommand {
    /// The result that the command would have in a list that stays unchanged: no times change.
    package func result(in list: VersionedList) throws(ServiceError) -> CommandResult {
        var copy = list.list
        copy.changeStamp = nil
        return try apply(to: &copy, version: list.version).1
    }

    /// Applies the command, or throws and leaves the list unchanged.
    ///
    /// - Parameter version: the list's version.
    func apply(
        to list: inout ReorderableList, version: Int
    ) throws(ServiceError) -> (Change, CommandResult) {
        // The data of an updated task, section or list after the merge.
        var data: DataUpdate?
        switch self {
        case .update(let task, let patch):
            data = try patch.data.map { patch throws(ServiceError) in
                try Self.merged(patch, into: list.task(task)?.content.data, ofSection: false)
            }
        case .updateSection(let section, let patch):
            data = try patch.data.map { patch throws(ServiceError) in
                try Self.merged(patch, into: list.section(section)?.data, ofSection: true)
            }
        case .order(let scope, _):
            let limit = TaskSorting.maximumTasks
            let count = (try? list.taskCount(in: scope, upTo: limit)) ?? 0
            guard count <= limit else { throw .tooManyToSort(limit: limit) }
        case .settings(_, let patch):
            data = try patch.map { patch throws(ServiceError) in
                try Self.merged(patch, into: list.settings.data, ofSection: false)
            }
        default: break
        }
        do {
            return try apply(to: &list, data: data)
        } catch {
            throw .refused(error, version: version, tasks: namedTasks(in: list))
        }
    }

    private func apply(
        to list: inout ReorderableList, data: DataUpdate?
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
                .created(list.task(content.id))
            )
        case .update(let task, let patch):
            let operations = try list.update(
                task,
                TaskUpdate(title: patch.title, done: patch.done, locked: patch.locked, data: data))
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
                Change(operations: outcome.operations, deleted: outcome.deleted), .done
            )
        case .order(let scope, let sorting):
            let operations = try list.reorder(scope) { tasks in
                sorting?.order(tasks) ?? tasks.indices.reversed()
            }
            // Each operation moves one task.
            return (Change(operations: operations), .doneInBulk(count: operations.count))
        case .removeDone(let scope):
            let outcome = try list.removeDone(scope)
            return (
                Change(operations: outcome.operations, deleted: outcome.deleted),
                .doneInBulk(count: outcome.deleted.count)
            )
        case .settings(var update, _):
            if let data { update.data = data }
            return (Change(operations: list.update(update)), .done)
        case .createSection(let section, let title, let position, let data, let maxTasks):
            let operations = try list.createSection(
                section, title: title, position: position, data: data, maxTasks: maxTasks)
            return (Change(operations: operations), .section(list.section(section), isNew: true))
        case .updateSection(let section, let patch):
            let operations = try list.updateSection(
                section, title: patch.title, data: data, maxTasks: patch.maxTasks)
            return (Change(operations: operations), .section(list.section(section), isNew: false))
        case .moveSection(let section, let position):
            let operations = try list.moveSection(section, position: position)
            return (Change(operations: operations), .section(list.section(section), isNew: false))
        case .deleteSection(let section, let tasks):
            let outcome = try list.deleteSection(section, tasks: tasks)
            return (
                Change(operations: outcome.operations, deleted: outcome.deleted),
                .section(nil, isNew: false)
            )
        }
    }
}

extension ListCommand {
    /// Resolves a merge patch against the current data.
    private static func merged(
        _ patch: String, into data: String?, ofSection: Bool
    ) throws(ServiceError) -> DataUpdate {
        guard patch != "null" else { return .remove }
        // Both texts were validated before.
        guard let merged = try? MergePatch.apply(patch, to: data), FormLimits.allowsData(merged)
        else { throw .dataTooLarge(ofSection: ofSection) }
        return .set(merged)
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
