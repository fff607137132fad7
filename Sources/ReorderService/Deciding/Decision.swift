import ReorderEngine
import ReorderJSON
import ReorderStore

/// What a write does.
struct Decision: Sendable {
    var result: WriteResult
    /// The next versions of the changed lists; empty if nothing changes. They are stored together.
    var commits: [DecidedCommit] = []
    /// Responses to store with the commits or, if there is none, by themselves.
    var responses: [StoredResponse] = []
    /// The rendered response, if it is one of `responses`.
    var rendered: [UInt8]?

    /// The tasks that no list had before, by their lists.
    var newTasks: [(list: String, tasks: [TaskID])] {
        let commits = commits.map(\.commit)
        return Set(commits.map(\.list)).map { list in
            let moved = Set(commits.lazy.filter { $0.list != list }.flatMap(\.deletedTasks))
            let inserted = commits.lazy.filter { $0.list == list }.flatMap(\.insertedTasks)
            return (list, inserted.filter { !moved.contains($0) })
        }
    }
}

/// The next version of a list.
struct DecidedCommit: Sendable {
    var commit: ListCommit
    /// The number of tasks in the list, if the commit deletes it.
    var countInDeletedList = 0
}

/// The change from one version of a list to the next.
struct Change {
    var operations: [ListOperation]
    /// The tasks that were inserted into the list and deleted from it.
    var inserted: [TaskID] = []
    var deleted: [TaskID] = []
    /// The number of tasks in the list, if the change deletes it.
    var countInDeletedList = 0
    /// The deleted list, if its content goes to the bin.
    var binned: ListCommit.Binned?
    /// Whether the change restores the list from the bin.
    var isRestored = false
    /// Whether the change creates or deletes the list.
    var kind: ChangeDocument.Kind?
    /// See `ChangeDocument.opID`.
    var opID: String?
    /// The other list, if tasks were moved to or from it.
    var transfer: ChangeDocument.Transfer?
    /// Responses to store with the change.
    var responses: [StoredResponse] = []

    var isReplacement: Bool {
        if operations.count == 1, case .replace = operations[0] { true } else { false }
    }
}

/// What a write does to its lists.
struct WriteEffects {
    /// The versions that the write has made already: those of a batch's steps.
    var commits: [DecidedCommit] = []
    /// The next version, if it has operations.
    var change: Change
    /// The change of the list that tasks move into, if it is another one.
    var otherChange: Change?
    var result: CommandResult

    init(
        commits: [DecidedCommit] = [], _ change: Change, and otherChange: Change? = nil,
        _ result: CommandResult = .done
    ) {
        self.commits = commits
        self.change = change
        self.otherChange = otherChange
        self.result = result
    }

    init(_ applied: (Change, CommandResult)) { self.init(applied.0, applied.1) }
}
