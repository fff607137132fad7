import ReorderEngine
import ReorderJSON
import ReorderStore

/// A request that may change a list.
package struct WriteRequest: Sendable {
    package var list: String
    // `Optional`, because `TaskID?` is nil at first, and the initializer would copy all members.
    /// The task whose list is changed, if the request names no list; nil changes `list`.
    package var containedTask: Optional<TaskID>
    package var action: Action
    /// The versions in which the rows of a move are counted; for a batch, one element for each of its
    /// commands. Empty if all are the current ones.
    package var rowVersions: [RowVersions]
    /// The precondition in `If-Match` or `If-None-Match`.
    package var precondition: Precondition
    /// Whether to return the result without changing anything.
    package var isDryRun: Bool
    /// The client's name, which is stored in the change.
    package var client: Optional<String>
    /// The authenticated name of whoever makes the change, which is stored in it; nil if unknown.
    package let author: String?
    /// What the client may do; nil means everything.
    package let rights: (any ListRights)?
    /// The request's idempotency key.
    package var key: Optional<IdempotencyKey>

    /// Its large values are indirect for the same reason as `CommandResult`.
    package enum Action: Sendable {
        case command(Command)
        /// Gives siblings another order; nil: the reverse one.
        indirect case order(TaskScope, by: TaskSorting?)
        /// Deletes the done tasks whose subtasks are all done.
        indirect case removeDone(TaskScope)
        /// Moves tasks into another list, with one commit for both lists. If the list is the same,
        /// it is a plain move.
        indirect case transfer(MoveRequest, to: String)
        /// Moves a section with its tasks into another list, like `transfer`. Without a position it becomes the
        /// last one. `isUndo` is as in `Destination`.
        case transferSection(SectionID, to: String, position: Int?, isUndo: Bool = false)
        case batch(Batch)
        /// Gives a task the content and place that a table view's client has stored.
        indirect case element(TaskElement)
        /// Creates the list. It must not exist.
        indirect case create(ReorderableList)
        /// Creates the list, or replaces it if a precondition is given.
        indirect case put(ReorderableList)
        /// Deletes the list. Its content goes to the bin, unless the deletion is permanent. A
        /// permanent deletion also removes a list that is in the bin.
        case deleteList(isPermanent: Bool = false)
        /// Creates the list again with the content that it had when it was deleted.
        case restore
        /// Copies a list, or a task that is in this list. With `list: nil`, the request's list is the
        /// one to copy from; otherwise the copy is the request's list, which must not exist.
        indirect case copy(CopyRequest, ofList: String?)
        /// Folds or unfolds a task for one person: changes its entry in this list of folds, or creates
        /// the entry with the given id.
        case fold(TaskID, Bool, newEntry: TaskID)
        /// Undoes a change, in the current list; nil: the list's last change.
        case undo(version: RequestedVersion?)

        /// Whether the action may delete tasks, sections or the list.
        var mayDelete: Bool {
            switch self {
            case .command(let command): command.mayDelete
            case .batch(let batch): batch.commands.contains(where: \.mayDelete)
            case .removeDone, .transfer, .transferSection, .put, .deleteList, .undo: true
            case .order, .element, .create, .restore, .copy, .fold: false
            }
        }

        /// Whether the action is about a list that can be in the bin.
        var usesBin: Bool {
            if case .restore = self { return true }
            return isPermanentDeletion
        }

        var isPermanentDeletion: Bool {
            if case .deleteList(isPermanent: true) = self { true } else { false }
        }
    }

    /// The list that the request changes first, and the other list that it needs: the one that tasks
    /// move into, or the one that is copied.
    var lists: (changed: String, other: String?) {
        switch action {
        case .transfer(_, let target), .transferSection(_, let target, _, _):
            return (list, target == list ? nil : target)
        case .copy(let copy, let ofList):
            let source = ofList ?? list
            var target = list
            if case .task(_, _, let list?) = copy.subject { target = list }
            return (target, source == target ? nil : source)
        default: return (list, nil)
        }
    }

    /// Checks that the client may change the lists that the request changes, and may read the list
    /// that it copies. The list of `containedTask` is checked if it is known, as `list`.
    func checkRights() throws(ServiceError) {
        guard let rights else { return }
        let (changed, other) = lists
        let isKnown = containedTask == nil || !list.isEmpty
        if let other, isKnown || other != list {
            if case .copy = action {
                try rights.checkReading(other)
            } else {
                try rights.checkWriting(other)
            }
        }
        if isKnown || changed != list { try rights.checkWriting(changed) }
    }

    package init(
        list: String, containedTask: TaskID? = nil, action: Action, rowVersions: [RowVersions] = [],
        precondition: Precondition = .none, isDryRun: Bool = false, client: String? = nil,
        author: String? = nil, rights: (any ListRights)? = nil,
        key: IdempotencyKey? = nil
    ) {
        self.list = list
        self.containedTask = containedTask
        self.action = action
        self.rowVersions = rowVersions
        self.precondition = precondition
        self.isDryRun = isDryRun
        self.client = client
        self.author = author
        self.rights = rights
        self.key = key
    }
}

/// The versions of the lists in which a move counts rows; nil means the current version.
package struct RowVersions: Sendable, Equatable {
    /// The version of the list that the move changes.
    package var list: RequestedVersion?
    /// The version of the list that the tasks move into.
    package var otherList: RequestedVersion?

    package init(list: RequestedVersion? = nil, otherList: RequestedVersion? = nil) {
        self.list = list
        self.otherList = otherList
    }

    /// Whether all rows are those of the current versions.
    package var areCurrent: Bool { list == nil && otherList == nil }
}

/// A version of a list in a request: a number, and the epoch that the client read with it.
package struct RequestedVersion: Sendable, Equatable {
    package let number: Int
    /// nil if the request has only the number. Then it means the version of the current epoch.
    package let epoch: String?

    package init(_ number: Int, epoch: String? = nil) {
        self.number = number
        self.epoch = epoch
    }

    /// The number in the history of an epoch. A version of another epoch is not in it: this returns
    /// `Int.max`, which no list reaches.
    package func number(in epoch: String) -> Int {
        self.epoch == nil || self.epoch == epoch ? number : .max
    }
}
