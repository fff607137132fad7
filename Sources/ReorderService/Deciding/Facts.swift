import ReorderEngine

/// What a decision needs to know beside its lists.
struct Facts {
    /// Why moves that count rows of certain versions are refused; the keys are the indices in the
    /// batch.
    var refusedMoves: [Int: ServiceError] = [:]
    /// The results of a batch's ops that earlier batches have applied.
    var operationResults: OperationResults?
    /// How to undo a change, or why that is not possible.
    var undo: Result<UndoPlan, ServiceError>?
    /// The list in the bin; nil if it is not there.
    var binned: BinLookup.Found?
}

/// Answers what a decision asks while it is made.
protocol DecisionHost {
    /// Whether a worker makes the decision. Only then may it take long.
    var isWorker: Bool { get }

    /// Whether a snapshot of a large list may be stored now.
    var mayStoreLargeSnapshot: Bool { get }

    /// Returns one of these new tasks that another list contains; nil if this list can get all of
    /// them.
    ///
    /// - Throws: an interruption if this is not known yet.
    func taken(_ tasks: [TaskID], for list: String) throws(Interruption) -> TaskID?

    /// Notes that tasks move into this list.
    ///
    /// - Throws: an interruption if the tasks' changes so far must become durable first.
    func move(_ tasks: [TaskID], into list: String) throws(Interruption)
}
