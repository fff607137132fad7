import DequeModule
import ReorderEngine

/// The last changes of a list, as operations that lead back. So the rows of a recent version are
/// found without the store.
///
/// A list keeps them from the first request on that names rows of an earlier version. They have the
/// order and the sections of the tasks, and what is collapsed, but no titles and no data.
struct RecentSteps: Sendable {
    fileprivate struct StepBack {
        /// The version after the change.
        var version: Int
        var inverse: [ListOperation]
    }

    private var steps: Deque<StepBack> = []
    private var operationCount = 0
    /// The version to which all steps lead back.
    private var oldest: Int

    /// The maximum number of operations for each list; about 200 KB.
    static let maximumOperations = 1_000

    /// - Parameter version: the current version of the list.
    init(from version: Int) { oldest = version }

    /// The approximate memory in bytes.
    var byteCount: Int { 64 * steps.count + 200 * operationCount }

    /// Adds a change. If it is too large, all steps are removed. O(log n) for each operation and
    /// each deleted task, at most `maximumOperations`.
    ///
    /// - Parameters:
    ///   - version: the version after the change.
    ///   - before: the list before the change.
    mutating func append(
        _ operations: [ListOperation], to version: Int, from before: ReorderableList
    ) {
        guard let inverse = before.stepBack(operations, limit: Self.maximumOperations) else {
            self = RecentSteps(from: version)
            return
        }
        steps.append(StepBack(version: version, inverse: inverse))
        operationCount += inverse.count
        while operationCount > Self.maximumOperations, let step = steps.popFirst() {
            operationCount -= step.inverse.count
            oldest = step.version
        }
    }

    /// The number of operations that lead back to a version; nil if it is too old.
    func operationCount(backTo version: Int) -> Int? {
        guard version >= oldest else { return nil }
        return steps.reversed().prefix { $0.version > version }.reduce(0) { $0 + $1.inverse.count }
    }

    /// The list at earlier versions, each lower than the one before.
    struct Cursor: Sendable {
        private var steps: Deque<StepBack>
        private var list: ReorderableList

        fileprivate init(_ steps: Deque<StepBack>, _ list: ReorderableList) {
            self.steps = steps
            self.list = list
            self.list.changeStamp = nil
        }

        mutating func list(at version: Int) throws -> ReorderableList {
            while let step = steps.last, step.version > version {
                for operation in step.inverse { try list.apply(operation) }
                steps.removeLast()
            }
            return list
        }
    }

    /// - Parameter list: the list at the version of the last step.
    func cursor(from list: ReorderableList) -> Cursor { Cursor(steps, list) }
}

extension ReorderableList {
    /// The operations that lead back over a change, as far as it affects rows; nil if they are more
    /// than the limit.
    fileprivate func stepBack(_ operations: [ListOperation], limit: Int) -> [ListOperation]? {
        var list = self
        list.changeStamp = nil
        var inverses: [[ListOperation]] = []
        var count = 0
        for operation in operations {
            switch operation {
            case .update, .list, .sectionUpdate: continue
            case .delete(let task): count += list.taskCount(under: task, upTo: limit)
            default: count += 1
            }
            guard count <= limit, let inverse = try? list.inverse(of: operation),
                (try? list.apply(operation)) != nil
            else { return nil }
            inverses.append(inverse.map(\.withoutContent))
        }
        return inverses.reversed().flatMap(\.self)
    }
}

extension ListOperation {
    /// The operation without the title and data of a task or section.
    fileprivate var withoutContent: ListOperation {
        switch self {
        case .insert(var task):
            task.content = TaskContent(id: task.id, title: "", collapsed: task.content.collapsed)
            return .insert(task)
        case .sectionInsert(let section, _, let position, _, _):
            return .sectionInsert(section: section, title: "", position: position)
        default: return self
        }
    }
}
