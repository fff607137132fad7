import ReorderEngine

/// What a decision needs to know beside its lists.
struct DecisionFacts {
    /// Why moves that count rows of certain versions are refused; the keys are the indices in the
    /// batch.
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

/// Answers what a decision asks while it is made.
protocol DecisionHost {
    /// Whether a worker makes the decision. Only then may it take long.
    var isWorker: Bool { get }

    /// Whether a snapshot of a large list may be stored now.
    var mayStoreLargeSnapshot: Bool { get }

    /// Notes that the decision handles about this number of tasks.
    func work(on tasks: Int)

    /// Returns those of these new tasks that another list contains.
    ///
    /// - Parameter asksStore: whether a shared store is asked for all of them. Otherwise it refuses them when
    ///   they are stored, and only those that it has refused before are looked up.
    /// - Throws: an interruption if this is not known yet.
    func taken(
        _ tasks: [TaskID], for list: String, asksStore: Bool
    ) throws(Interruption) -> [TaskID]
}

/// Why a write was not decided. Its lists are unchanged.
enum Interruption: Error {
    case refused(ServiceError)
    /// The write handles so many tasks that a worker must decide it.
    case large(tasks: Int)
    /// The list does not exist at this version, and the bin must be read.
    case needsBin(version: Int)
}
