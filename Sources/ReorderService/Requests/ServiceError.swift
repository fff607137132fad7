import ReorderEngine

/// Why a request failed. Nothing was changed, except possibly after `outcomeUnknown`.
///
/// Indirect, because most functions can throw it, and few requests fail.
package indirect enum ServiceError: Error, Sendable {
    case listNotFound(String)
    /// The list that tasks would move into.
    case targetListNotFound(String)
    case taskNotFound(TaskID)
    /// The client may not use this list. The list may not exist.
    case listForbidden(String)
    /// The client may read the list, but not change it.
    case listReadOnly(String)
    /// The engine refused the request, because of a rule of the list.
    case refused(Refusal, version: Int, tasks: NamedTasks)
    /// A list with this id already exists.
    case listTaken(String)
    /// The list is not in the bin.
    case listNotInBin(String)
    /// The list exists, so it can't be restored.
    case listNotDeleted(String)
    /// A task with this id already exists, possibly in another list.
    case taskTaken(TaskID)
    /// After the merge with the patch, the data of the task or section would be too large or nested
    /// too deep.
    case dataTooLarge(ofSection: Bool)
    /// A command of an atomic batch failed, so none was applied.
    case command(index: Int, ServiceError)
    /// The response to a batch would contain more tasks than this.
    case responseTooLarge(limit: Int)
    /// The request would order more tasks than this.
    case tooManyToSort(limit: Int)
    /// The list would have more tasks than this.
    case listFull(limit: Int)
    /// The list would have more sections than this.
    case sectionsFull(limit: Int)
    /// The list that tasks would move into would have more tasks than this. `tasks` has their
    /// current state.
    case targetListFull(limit: Int, version: Int, tasks: NamedTasks)
    /// The request would have to examine too many tasks to order them.
    case tooManyToExamine
    /// The drag does not exist or has ended.
    case dragNotFound(String)
    /// Another client has begun the drag.
    case dragOfOtherClient(String)
    /// The list or the server already has the maximum number of drags.
    case tooManyDrags(limit: Int, isOfList: Bool)
    /// A change can't be undone any more. `tasks` has the current state of the conflicting tasks.
    case undoConflict(UndoConflict, version: Int, tasks: NamedTasks)
    /// A change that moved tasks between this list and another can't be undone.
    case undoOfTransfer(version: Int)
    /// The list or the server already has the maximum number of running and waiting undos.
    case tooManyUndos(limit: Int, isOfList: Bool)
    /// The state before the change is no longer stored, or the change never existed.
    case historyGone(at: Int, version: Int)
    /// The request's precondition does not hold. `version` is the list's last version, also if the
    /// list does not exist.
    case versionMismatch(Precondition, version: Int, exists: Bool)
    /// Replacing a list requires a precondition.
    case preconditionRequired(version: Int)
    /// The key was already used for a different request, or this id of an op for a different op.
    case keyReused(opID: String?)
    /// Another request with this key is in progress.
    case requestInProgress
    /// An op of an atomic batch was refused in an earlier batch. Has the op's rendered result, and
    /// the list's current version.
    case refusedBefore([UInt8], version: Int)
    /// The store does not accept changes now, or the server is stopping. The same request may
    /// succeed later.
    case unavailable
    /// The connection to a shared store was lost during the commit. The change may or may not be
    /// stored.
    case outcomeUnknown
    /// The stored list can't be read. The log has the reason.
    case unreadable
}
