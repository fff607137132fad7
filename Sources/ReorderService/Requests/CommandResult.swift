import ReorderEngine

/// The result of a command, with the resulting state of each task.
///
/// Indirect, because it is passed through many functions, and copying its content would cost more
/// than allocating it.
package indirect enum CommandResult: Sendable {
    /// The list as a whole was changed, or a task was deleted. The response shows only the version.
    case done
    /// Tasks were ordered, or done tasks deleted: the number of tasks that were moved or deleted.
    case doneInBulk(count: Int)
    /// `isBlock`: whether the request named an array of tasks.
    case moved(MoveOutcome, isBlock: Bool)
    case transferred(TransferOutcome, isBlock: Bool, to: ListVersion)
    case created(ListTask?)
    case updated(ListTask?)
    /// `shown`: the rows that became visible; nil if there are none or too many.
    case collapsed(ListTask?, rows: CollapseOutcome.RowsChange?, shown: [ListTask]?)
    /// The section in the list that received it.
    case sectionTransferred(ListSection?, to: ListVersion)
    /// The section's new state.
    case section(ListSection?, isNew: Bool)
    case element(ListTask?, isNew: Bool)
    /// The stored result of an op of an earlier batch, in its rendered form.
    case replayed([UInt8], tasks: Int)
    /// `tasks`: the tasks that were moved, changed or restored; nil if they are too many to return.
    /// `deleted`: the tasks that the undo deleted. `newIDs`: the new ids of tasks that came back and whose own
    /// ids, the keys, are in use in other lists.
    case undone(version: Int, tasks: [ListTask]?, deleted: [TaskID], newIDs: [TaskID: TaskID])
    /// A list came back from the bin.
    case restored(newIDs: [TaskID: TaskID])
    /// The result of each command of a batch, in order.
    case batch([Result<CommandResult, ServiceError>])
}

/// A list's id and its version after a change.
package struct ListVersion: Sendable, Hashable {
    package var list: String
    package var version: Int
}
