import ReorderEngine

/// Why a request could not be done; nothing has changed.
package enum ServiceError: Error, Sendable {
    case listNotFound(String)
    /// The list that tasks shall move into.
    case targetListNotFound(String)
    case taskNotFound(TaskID)
    /// The list is not among those that whoever asks may see and change. It may not exist.
    case listForbidden(String)
    /// A rule of the list says no.
    case refused(Refusal, version: Int, tasks: NamedTasks)
    /// A list of this id exists.
    case listTaken(String)
    /// A task of this id exists, in some list.
    case taskTaken(TaskID)
    /// Merged with the patch, the task's data would be larger or deeper than they may be.
    case dataTooLarge
    /// A command of an atomic batch was not done, so none was.
    indirect case command(index: Int, ServiceError)
    /// The answer to a batch would tell more tasks than this.
    case answerTooLarge(limit: Int)
    /// The list may hold no more tasks than this.
    case listFull(limit: Int)
    /// The list may have no more sections than this.
    case sectionsFull(limit: Int)
    /// The list that tasks shall move into would; the tasks are told as they are.
    case targetListFull(limit: Int, version: Int, tasks: NamedTasks)
    /// There is no such drag, or it is over.
    case dragNotFound(String)
    /// Of the list, or of the server, as many drags are going on as may.
    case tooManyDrags(limit: Int, isOfList: Bool)
    /// A change can't be taken back any more; the tasks are told as they are.
    case undoConflict(UndoConflict, version: Int, tasks: NamedTasks)
    /// A change that moved tasks between this list and another is not taken back on one side.
    case undoOfTransfer(other: String, version: Int)
    /// The list was changed each time an undo was computed.
    case undoOvertaken
    /// The list, or the server, has the maximum number of undos that run or wait.
    case tooManyUndos(limit: Int, isOfList: Bool)
    /// What the list was before a change is no longer kept, or there was no such change.
    case historyGone(version: Int)
    /// The request's precondition does not hold.
    case versionMismatch(version: Int)
    /// Replacing a list needs a precondition.
    case preconditionRequired(version: Int)
    /// The key, or the op's id, was given to another request, or op, before.
    case keyReused
    /// A request with this key is being done.
    case requestInProgress
    /// The op of an atomic batch was refused before; the result that it got then, as it was rendered, and
    /// the list's version now.
    case refusedBefore([UInt8], version: Int)
    /// The store can't take it now, or the server is stopping: the same request may succeed later.
    case unavailable
    /// A store that servers share was lost while it took the change: it is done, or will be, or not.
    case outcomeUnknown
    /// The run of the request has to end here: it runs again once it is resumed. Never sent to a client.
    case waiting
    /// What is stored of the list can't be read; the log says what.
    case unreadable
}
