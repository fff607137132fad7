import ReorderEngine

/// Changes of many tasks of a list, each as one change.
extension Decider {
    /// Gives siblings another order; without a sorting, the reverse one.
    func reorder(
        _ scope: TaskScope, by sorting: TaskSorting?, to list: inout WorkingList
    ) throws(Interruption) -> (Change, CommandResult) {
        let limit = TaskSorting.maximumTasks
        let count = (try? list.list.taskCount(in: scope, upTo: limit)) ?? 0
        guard count <= limit else { throw .refused(.tooManyToSort(limit: limit)) }
        do {
            let operations = try list.list.reorder(scope) { tasks in
                sorting?.order(tasks) ?? tasks.indices.reversed()
            }
            // Each operation moves one task.
            return (Change(operations: operations), .doneInBulk(count: operations.count))
        } catch {
            throw .refused(.refused(error, version: list.version, tasks: .one(nil)))
        }
    }

    /// Deletes the done tasks whose subtasks are all done.
    func removeDone(
        _ scope: TaskScope, to list: inout WorkingList
    ) throws(Interruption) -> (Change, CommandResult) {
        do {
            let outcome = try list.list.removeDone(scope)
            return (
                Change(operations: outcome.operations, deleted: outcome.deleted),
                .doneInBulk(count: outcome.deleted.count)
            )
        } catch {
            throw .refused(.refused(error, version: list.version, tasks: .one(nil)))
        }
    }
}
