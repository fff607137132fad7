import ReorderEngine

/// What a decision needs to know beside its lists. Most writes have none.
struct DecisionFacts {
    /// Why moves that count rows of certain versions are refused; the keys are the indices of
    /// the request's commands.
    var refusedMoves: [Int: ServiceError] = [:]
    /// The results of a batch's ops that earlier batches have applied.
    var operationResults: OperationResults?
    /// How to undo a change, or why that is not possible.
    var undo: Result<UndoPlan, ServiceError>?
    /// The list in the bin; nil if it is not there. The bin was read when the list did not exist at
    /// `binVersion`; nil if it was not read.
    var binned: BinnedList?
    var binVersion: Int?
}

/// A list in the bin that has not expired.
///
/// A class, because facts are copied for each write, and few of them have it.
final class BinnedList: Sendable {
    /// The number of its tasks.
    let count: Int
    /// The list before its deletion; nil if the request does not need it.
    let list: ReorderableList?

    init(count: Int, list: ReorderableList? = nil) {
        self.count = count
        self.list = list
    }
}
