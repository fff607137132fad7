import ReorderEngine
import ReorderStore

/// What a request that does not end with its first run waits for, has learnt and holds.
final class RequestProgress {
    // What it waits for.

    /// A list that is being loaded, or changed by a worker.
    var arrival: Reply<Void>?
    /// Lists that stay in memory until the request has decided or ended.
    var pinned: [CachedList] = []

    // What it has learnt.

    var listStates: Reply<[String: FreshListState]>?
    var holders: Reply<[TaskID: String]>?
    /// The list in which the task was not found the last time, and its version.
    var missed: ListVersion?
    /// The stored response to its key, and whether that was looked up because something was missing.
    var responses: Reply<[StoredResponseKey: StoredResponse]>?
    var hasCheckedAbsence = false
    /// The stored results of its ops, and whether they were looked up again because the batch was refused.
    var operationResponses: Reply<[StoredResponseKey: StoredResponse]>?
    var hasCheckedOperations = false
    var undo = UndoSteps()
    var position: Decided<ListPosition>?
    var history: Reply<[StoredChange]?>?
    var index: Reply<ListService.Index>?
    /// The list that is being rendered.
    var reading: ListReading?
    var rendering: Reply<any CachedResponse>?

    // What it holds until it has ended.

    /// The keys that no other request may use meanwhile: its own, and those of its ops.
    var claim: KeyClaim?
    var operationClaim: KeyClaim?
    var watch: ListWatch?
    var undoPermit: UndoQueue.Permit?
    /// What is to be done with a drag when the request has ended.
    var dragUpdate: DragUpdate?
    /// The drag that it moves or drops, as it was when the request came.
    var drag: Drag?
    /// Copies of the lists that it changes, while a worker runs it.
    var held: HeldLists?

    /// Forgets what it has learnt: the request is decided again from the start.
    func startAgain() {
        arrival = nil
        (listStates, holders, missed) = (nil, nil, nil)
        (responses, operationResponses) = (nil, nil)
        (hasCheckedAbsence, hasCheckedOperations) = (false, false)
        (index, history, position) = (nil, nil, nil)
        (reading, rendering) = (nil, nil)
        undo.overtaken()
    }
}
