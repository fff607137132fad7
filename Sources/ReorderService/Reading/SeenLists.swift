import ReorderEngine
import ReorderStore

/// A list at earlier versions, one after the other.
enum PastVersions: Sendable {
    /// From the last changes in memory; the versions must descend.
    case recent(RecentSteps.Cursor)
    /// From the store; the versions must ascend.
    case stored(PastList)

    /// Returns nil if the version is no longer stored.
    mutating func list(at version: Int) throws -> ReorderableList? {
        switch self {
        case .recent(var cursor):
            let list = try cursor.list(at: version)
            self = .recent(cursor)
            return list
        case .stored(var past):
            let list = try past.list(at: version)
            self = .stored(past)
            return list
        }
    }
}

/// A list of which a request names rows of certain versions.
struct SeenList: Sendable {
    let current: VersionedList
    /// The named versions before the current one, ascending.
    let versions: [Int]
    /// The last changes.
    let steps: RecentSteps

    init(_ current: VersionedList, _ steps: RecentSteps, at versions: [Int]) {
        self.current = current
        self.steps = steps
        self.versions = Set(versions).filter { $0 < current.version }.sorted()
    }

    /// The number of operations that lead back to the oldest version; nil if the store is needed.
    var stepCount: Int? { versions.first.map { steps.operationCount(backTo: $0) } ?? 0 }

    /// Blocks until the store responds, if it is needed.
    func past(_ store: any ListStore) throws(StoreError) -> PastVersions? {
        if versions.isEmpty { return nil }
        if stepCount != nil { return .recent(steps.cursor(from: current.list)) }
        return try PastList(of: current.id, at: versions, from: store).map { .stored($0) }
    }
}

/// The lists of a request with moves that count rows of certain versions.
struct SeenLists: Sendable {
    let moves: [SeenMove]
    let list: SeenList
    /// The list that tasks move into.
    let other: SeenList?

    /// Whether the store is needed.
    var needsStore: Bool { list.stepCount == nil || other.map { $0.stepCount == nil } ?? false }

    /// The work of naming the tasks, as a number of tasks; without the store.
    var cost: Int {
        moves.reduce(10 * ((list.stepCount ?? 0) + (other?.stepCount ?? 0))) { sum, move in
            sum + max(10, move.request.subject.namedCount)
                + (move.request.folds.map { list.current.list.costOfFolding($0) } ?? 0)
        }
    }

    /// Finds the tasks and neighbors that the moves name.
    ///
    /// - Parameter unreadable: the error for a list that can't be read.
    func named(
        in past: PastVersions?, _ pastOfOther: PastVersions?,
        _ unreadable: (_ error: any Error, _ list: String) -> ServiceError
    ) -> NamedMoves {
        var (past, pastOfOther) = (past, pastOfOther)
        var moves = moves.sorted { $0.version ?? 0 < $1.version ?? 0 }
        if case .recent? = past { moves.reverse() }
        var named: NamedMoves = [:]
        for move in moves {
            named[move.index] = Result { () throws(ServiceError) in
                let seen = try list.list(at: move.version, &past, unreadable)
                let other = try other.map { other throws(ServiceError) in
                    try other.list(at: move.otherVersion, &pastOfOther, unreadable)
                }
                do throws(Refusal) {
                    return try move.request.namingTasks(in: seen, into: other)
                } catch {
                    let subject = move.request.subject
                    let current = list.current
                    let tasks = seen.tasks(named: subject).compactMap { current.list.task($0) }
                    throw .refused(
                        error, version: current.version,
                        tasks: subject.isBlock ? .several(tasks) : .one(tasks.first))
                }
            }
        }
        return named
    }
}

extension SeenList {
    fileprivate func list(
        at version: Int?, _ past: inout PastVersions?,
        _ unreadable: (_ error: any Error, _ list: String) -> ServiceError
    ) throws(ServiceError) -> ReorderableList {
        guard let version, version != current.version else { return current.list }
        do {
            if version < current.version, let list = try past?.list(at: version) { return list }
        } catch {
            throw unreadable(error, current.id)
        }
        throw .historyGone(at: version, version: current.version)
    }
}

/// A move that counts rows of certain versions.
struct SeenMove: Sendable {
    /// The index in the request's batch; 0 if it is not a batch.
    let index: Int
    let request: MoveRequest
    /// nil for the current version.
    let version: Int?
    /// The version of the list that the tasks move into; nil for the current one.
    let otherVersion: Int?
}

/// The moves of a request by ids, with the indices in its batch. Those that can't be named are
/// refused.
typealias NamedMoves = [Int: Result<MoveRequest, ServiceError>]

extension NamedMoves {
    /// Why moves can't be named.
    var refusals: [Int: ServiceError] {
        compactMapValues { if case .failure(let error) = $0 { error } else { nil } }
    }
}
