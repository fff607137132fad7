import ReorderEngine
import ReorderStore

/// The state of a request that does not end with its first run: the replies that it waits for, the
/// results of lookups, and the lists and keys that it holds.
final class RequestProgress {
    // State for waiting

    /// Filled when a list has been loaded, or changed by a worker.
    var arrival: Reply<Void>?
    /// Lists that are kept in memory until the request has decided or ended.
    var pinned: [CachedList] = []

    // Results of lookups

    var listStates: Reply<[String: FreshListState]>?
    var holders: Reply<[TaskID: String]>?
    /// The list and version in which the last lookup did not find the task.
    var missed: ListVersion?
    /// The stored response for the request's key. `hasCheckedAbsence`: whether it was looked up a
    /// second time, because a list or a task was not found.
    var responses: Reply<[StoredResponseKey: StoredResponse]>?
    var hasCheckedAbsence = false
    /// The stored results of the request's ops. `hasCheckedOperations`: whether they were looked up
    /// a second time, because the batch was refused.
    var operationResponses: Reply<[StoredResponseKey: StoredResponse]>?
    var hasCheckedOperations = false
    /// The durable version that the undo is planned at.
    var undoBase: Decided<Int>?
    var undoPlan: Reply<UndoPlan>?
    /// The moves that count rows of earlier versions.
    var namedMoves: Reply<NamedMoves>?
    var bin = BinLookup()
    var binPage: Reply<ListService.IDPage<DeletedList>>?
    var position: Decided<ListPosition>?
    var history: Reply<[StoredChange]?>?
    var index: Reply<ListService.Index>?
    var lastPosition: Reply<Int>?
    var feedPage: Reply<FeedPage>?
    var feedHeads: Reply<FeedHeads>?
    /// The list of which the request reads a page, and the tasks that a request for several tasks has
    /// found.
    var durableList: Decided<VersionedList>?
    var foundTasks: [TaskID: FoundTask] = [:]
    var folds: Decided<Folds>?
    var searchAttempts = 0
    /// The list that is being rendered.
    var reading: ListReading?
    var rendering: Reply<any CachedResponse>?

    // Held until the request has ended

    /// The claimed keys of the request and of its ops, and the claim of a list in the bin.
    var claim: KeyClaim?
    var operationClaim: KeyClaim?
    var restoreClaim: KeyClaim?
    var undoPermit: UndoQueue.Permit?
    /// The drag update that is made when the request has ended.
    var dragUpdate: DragUpdate?
    /// The drag that the request moves or drops, in its state when the request arrived.
    var drag: Drag?
    /// Copies of the lists that a worker changes for the request.
    var copies: ListCopies?

    /// Discards the results of lookups, because the request is decided again from the start.
    func startAgain() {
        arrival = nil
        (listStates, holders, missed) = (nil, nil, nil)
        (responses, operationResponses) = (nil, nil)
        (hasCheckedAbsence, hasCheckedOperations) = (false, false)
        (index, history, position) = (nil, nil, nil)
        (bin, binPage) = (BinLookup(), nil)
        namedMoves = nil
        (reading, rendering, durableList, folds) = (nil, nil, nil, nil)
        undoBase = nil
    }
}
