import ReorderEngine
import ReorderStore

/// The state of a request that does not end with its first run: what it waits for, and the results of
/// lookups.
final class RequestProgress {
    /// The lists that are being looked up.
    var loads: [String: Reply<Snapshot>] = [:]

    /// The outcome of the request's write.
    var outcome: Reply<PendingWrite.Outcome>?

    // Results of lookups

    var holders: Reply<[TaskID: String]>?
    /// The stored response to the request's key.
    var responses: Reply<[StoredResponseKey: StoredResponse]>?
    /// The list and version in which the last lookup did not find the task.
    var missed: ListVersion?
    /// The version that the undo is planned at.
    var undoBase: Int?
    var undoPlan: Reply<UndoPlan>?
    var undoPermit: UndoQueue.Permit?
    /// The moves that count rows of earlier versions.
    var namedMoves: Reply<NamedMoves>?
    var bin = BinLookup()
    var binPage: Reply<ListService.IDPage<DeletedList>>?
    var position: ListPosition?
    var history: Reply<[StoredChange]?>?
    var index: Reply<ListService.Index>?
    var lastPosition: Reply<Int>?
    var feedPage: Reply<FeedPage>?
    var feedHeads: Reply<FeedHeads>?
    /// The list of which the request reads a page, and the tasks that a request for several tasks has
    /// found.
    var list: VersionedList?
    var foundTasks: [TaskID: FoundTask] = [:]
    var folds: Folds?
    var searchAttempts = 0
    var searchPage: Reply<SearchPage?>?
    /// The list that is being rendered.
    var reading: ListReading?
    var rendering: Reply<any CachedResponse>?

    /// The drag update that is made when the request has ended.
    var dragUpdate: DragUpdate?
    /// The drag that the request moves or drops, in its state when the request arrived.
    var drag: Drag?
}
